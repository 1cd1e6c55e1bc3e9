// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {IssuerDirectory} from "./IssuerDirectory.sol";

/// @title What only an issuer of the directory may call
abstract contract IssuerOnly {
    error NotIssuer(address caller);

    modifier onlyIssuer() {
        if (!_issuers().isIssuer(msg.sender)) revert NotIssuer(msg.sender);
        _;
    }

    /// @dev The directory that decides.
    function _issuers() internal view virtual returns (IssuerDirectory);
}
