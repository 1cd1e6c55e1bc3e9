// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {IEnrolment} from "./IEnrolment.sol";

/// @title Campus cards
/// @notice A card opens doors for its holder and nobody else: it cannot be transferred. Students claim their own;
/// the card office admits guests and staff, and revokes.
contract CampusMembership is ERC721, AccessControl {
    /// @notice May admit and revoke.
    bytes32 public constant CARD_OFFICE = keccak256("CARD_OFFICE");

    /// @notice Tells who is a student.
    IEnrolment public immutable enrolment;

    /// @notice How long a card is valid, in seconds.
    uint256 public immutable validity;

    /// @notice Cards issued so far, revoked ones included. Card numbers begin at 1.
    uint256 public issued;

    /// @notice The card number of an account; zero when it has none.
    mapping(address holder => uint256) public cardOf;

    /// @notice When a card ends, in seconds since 1970.
    mapping(uint256 cardId => uint256) public expiresAt;

    event CardRenewed(uint256 indexed cardId, uint256 expiresAt);

    error CardBound(uint256 cardId);
    error HasCard(address holder);
    error NotEnrolled(address account);

    /// @param cardName Name of the ERC-721 collection.
    /// @param cardSymbol Symbol of the ERC-721 collection.
    /// @param administrator Grants and revokes roles, and is the first card office.
    /// @param enrolmentDesk Tells who is a student.
    /// @param validDays How long a card is valid.
    constructor(
        string memory cardName,
        string memory cardSymbol,
        address administrator,
        IEnrolment enrolmentDesk,
        uint32 validDays
    ) ERC721(cardName, cardSymbol) {
        enrolment = enrolmentDesk;
        validity = uint256(validDays) * 1 days;
        _grantRole(DEFAULT_ADMIN_ROLE, administrator);
        _grantRole(CARD_OFFICE, administrator);
    }

    /// @notice Issues the caller's card, or renews it.
    function claim() external {
        if (!enrolment.isEnrolled(msg.sender)) revert NotEnrolled(msg.sender);
        if (cardOf[msg.sender] == 0) _issue(msg.sender);
        else _renew(cardOf[msg.sender]);
    }

    /// @notice Issues a card to a guest or a member of staff.
    function admit(address holder) external onlyRole(CARD_OFFICE) {
        if (cardOf[holder] != 0) revert HasCard(holder);
        _issue(holder);
    }

    /// @notice Withdraws a card. A student who is still enrolled may claim a new one.
    function revoke(uint256 cardId) external onlyRole(CARD_OFFICE) {
        delete cardOf[_requireOwned(cardId)];
        delete expiresAt[cardId];
        _burn(cardId);
    }

    /// @notice True while the account holds a card that has not ended.
    function isMember(address account) external view returns (bool) {
        return expiresAt[cardOf[account]] > block.timestamp;
    }

    function supportsInterface(bytes4 interfaceId) public view override(ERC721, AccessControl) returns (bool) {
        return super.supportsInterface(interfaceId);
    }

    /// @dev Cards are issued and revoked; anything in between would be a transfer.
    function _update(address to, uint256 cardId, address auth) internal override returns (address from) {
        from = super._update(to, cardId, auth);
        if (from != address(0) && to != address(0)) revert CardBound(cardId);
    }

    function _issue(address holder) private {
        uint256 cardId = ++issued;
        cardOf[holder] = cardId;
        _mint(holder, cardId);
        _renew(cardId);
    }

    function _renew(uint256 cardId) private {
        expiresAt[cardId] = block.timestamp + validity;
        emit CardRenewed(cardId, expiresAt[cardId]);
    }
}
