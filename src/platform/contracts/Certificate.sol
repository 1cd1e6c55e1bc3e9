// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

interface IERC721Receiver {
    function onERC721Received(address operator, address from, uint256 tokenId, bytes calldata data)
        external
        returns (bytes4);
}

/// @title Certificates as ERC-721 tokens (with ERC-165, the metadata extension, and ERC-173 ownership)
/// @notice Only the owner mints. A token's metadata URL and id are fixed when it is minted.
contract Certificate {
    string public name;
    string public symbol;

    /// @notice The only account that may mint.
    address public owner;

    /// @notice Most tokens that may ever exist; 0 means no limit.
    uint256 public immutable maxSupply;

    /// @notice Tokens minted so far. There is no burning.
    uint256 public totalSupply;

    mapping(address account => uint256) private _balances;
    mapping(uint256 tokenId => address) private _holders;
    mapping(uint256 tokenId => string) private _uris;
    mapping(uint256 tokenId => address) private _approvals;
    mapping(address holder => mapping(address operator => bool)) private _operators;

    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
    event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId);
    event ApprovalForAll(address indexed owner, address indexed operator, bool approved);
    event OwnershipTransferred(address indexed previousOwner, address indexed newOwner);

    modifier onlyOwner() {
        require(msg.sender == owner, "Certificate: caller is not the owner");
        _;
    }

    constructor(string memory name_, string memory symbol_, address owner_, uint256 maxSupply_) {
        require(owner_ != address(0), "Certificate: owner is the zero address");
        name = name_;
        symbol = symbol_;
        owner = owner_;
        maxSupply = maxSupply_;
        emit OwnershipTransferred(address(0), owner_);
    }

    /// @notice Mints `tokenId` to `to`. A contract that receives it must know how to hold ERC-721 tokens.
    function mint(address to, uint256 tokenId, string calldata uri) external onlyOwner {
        require(to != address(0), "Certificate: receiver is the zero address");
        require(_holders[tokenId] == address(0), "Certificate: token exists");
        require(maxSupply == 0 || totalSupply < maxSupply, "Certificate: max supply reached");
        totalSupply += 1;
        _balances[to] += 1;
        _holders[tokenId] = to;
        _uris[tokenId] = uri;
        emit Transfer(address(0), to, tokenId);
        _requireReceiver(address(0), to, tokenId, "");
    }

    /// @notice Hands minting to another account. Cannot be taken back by the former owner.
    function transferOwnership(address newOwner) external onlyOwner {
        require(newOwner != address(0), "Certificate: owner is the zero address");
        emit OwnershipTransferred(owner, newOwner);
        owner = newOwner;
    }

    function balanceOf(address account) external view returns (uint256) {
        require(account != address(0), "Certificate: balance of the zero address");
        return _balances[account];
    }

    function ownerOf(uint256 tokenId) public view returns (address holder) {
        holder = _holders[tokenId];
        require(holder != address(0), "Certificate: no such token");
    }

    /// @notice URL of the token's metadata document.
    function tokenURI(uint256 tokenId) external view returns (string memory) {
        ownerOf(tokenId);
        return _uris[tokenId];
    }

    function approve(address to, uint256 tokenId) external {
        address holder = ownerOf(tokenId);
        require(
            msg.sender == holder || _operators[holder][msg.sender],
            "Certificate: caller may not approve"
        );
        _approvals[tokenId] = to;
        emit Approval(holder, to, tokenId);
    }

    function getApproved(uint256 tokenId) external view returns (address) {
        ownerOf(tokenId);
        return _approvals[tokenId];
    }

    function setApprovalForAll(address operator, bool approved) external {
        require(operator != address(0), "Certificate: operator is the zero address");
        _operators[msg.sender][operator] = approved;
        emit ApprovalForAll(msg.sender, operator, approved);
    }

    function isApprovedForAll(address holder, address operator) external view returns (bool) {
        return _operators[holder][operator];
    }

    function transferFrom(address from, address to, uint256 tokenId) public {
        address holder = ownerOf(tokenId);
        require(holder == from, "Certificate: sender does not hold the token");
        require(to != address(0), "Certificate: receiver is the zero address");
        require(
            msg.sender == holder || msg.sender == _approvals[tokenId] || _operators[holder][msg.sender],
            "Certificate: caller may not transfer"
        );
        delete _approvals[tokenId];
        _balances[from] -= 1;
        _balances[to] += 1;
        _holders[tokenId] = to;
        emit Transfer(from, to, tokenId);
    }

    function safeTransferFrom(address from, address to, uint256 tokenId) external {
        safeTransferFrom(from, to, tokenId, "");
    }

    function safeTransferFrom(address from, address to, uint256 tokenId, bytes memory data) public {
        transferFrom(from, to, tokenId);
        _requireReceiver(from, to, tokenId, data);
    }

    function supportsInterface(bytes4 interfaceId) external pure returns (bool) {
        return interfaceId == 0x01ffc9a7 // ERC-165
            || interfaceId == 0x80ac58cd // ERC-721
            || interfaceId == 0x5b5e139f // ERC-721 metadata
            || interfaceId == 0x7f5828d0; // ERC-173 ownership
    }

    function _requireReceiver(address from, address to, uint256 tokenId, bytes memory data) private {
        if (to.code.length == 0) return;
        try IERC721Receiver(to).onERC721Received(msg.sender, from, tokenId, data) returns (bytes4 answer) {
            require(
                answer == IERC721Receiver.onERC721Received.selector,
                "Certificate: receiver refuses the token"
            );
        } catch {
            revert("Certificate: receiver refuses the token");
        }
    }
}
