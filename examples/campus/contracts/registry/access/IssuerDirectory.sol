// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Governed} from "./Governed.sol";

/// @title Who may act for the university
/// @notice The other contracts ask this one, so that an issuer is added or removed in one place.
contract IssuerDirectory is Governed {
    /// @notice True while the account may open programmes, award credits and run the enrolment desk.
    mapping(address account => bool) public isIssuer;

    event IssuerAdded(address indexed issuer);
    event IssuerRemoved(address indexed issuer);

    error AlreadyIssuer(address issuer);
    error UnknownIssuer(address issuer);

    /// @param initialGovernor Adds and removes issuers.
    /// @param initialIssuers The first issuers; each may stand in the list once.
    constructor(address initialGovernor, address[] memory initialIssuers) Governed(initialGovernor) {
        for (uint256 i = 0; i < initialIssuers.length; i++) _add(initialIssuers[i]);
    }

    function add(address issuer) external onlyGovernor {
        _add(issuer);
    }

    function remove(address issuer) external onlyGovernor {
        if (!isIssuer[issuer]) revert UnknownIssuer(issuer);
        isIssuer[issuer] = false;
        emit IssuerRemoved(issuer);
    }

    function _add(address issuer) private {
        if (issuer == address(0)) revert ZeroAddress();
        if (isIssuer[issuer]) revert AlreadyIssuer(issuer);
        isIssuer[issuer] = true;
        emit IssuerAdded(issuer);
    }
}
