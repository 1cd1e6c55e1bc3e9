// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// @title Append-only trail of audit records
/// @notice Keeps the author, the time and the SHA-256 digest of every record. A public trail also emits the
/// metadata itself; an encrypted one never takes it.
contract AuditTrail {
    struct Entry {
        address author;
        uint64 timestamp;
        bytes32 digest;
    }

    /// @notice The nickname given at creation.
    string public name;

    /// @notice True when only digests reach the chain.
    bool public immutable encrypted;

    /// @notice Number of records; indexes run from 1 to it.
    uint256 public total;

    /// @notice Author, block time and metadata digest of a record.
    mapping(uint256 index => Entry) public entries;

    /// @param metadata Empty on an encrypted trail.
    event Recorded(uint256 indexed index, address indexed author, bytes32 digest, string metadata);

    constructor(string memory name_, bool encrypted_) {
        name = name_;
        encrypted = encrypted_;
    }

    /// @notice Appends a record authored by the caller.
    /// @param digest SHA-256 of the metadata's bytes.
    /// @param metadata The metadata on a public trail, empty on an encrypted one.
    /// @return index The index of the new record.
    function mint(bytes32 digest, string calldata metadata) external returns (uint256 index) {
        if (encrypted) {
            require(bytes(metadata).length == 0, "AuditTrail: this trail keeps digests only");
        } else {
            require(sha256(bytes(metadata)) == digest, "AuditTrail: the digest is not of this metadata");
        }
        index = ++total;
        entries[index] = Entry(msg.sender, uint64(block.timestamp), digest);
        emit Recorded(index, msg.sender, digest, metadata);
    }
}
