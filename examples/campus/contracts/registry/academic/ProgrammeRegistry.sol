// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {IssuerDirectory} from "../access/IssuerDirectory.sol";
import {IssuerOnly} from "../access/IssuerOnly.sol";

/// @title The programmes of study that the university offers
contract ProgrammeRegistry is IssuerOnly {
    struct Programme {
        string title;
        uint256 creditsRequired;
        bool open;
    }

    /// @notice Decides who may change programmes.
    IssuerDirectory public immutable directory;

    /// @notice Name of the university.
    string public institution;

    mapping(bytes32 code => Programme) private _programmes;

    event ProgrammeOpened(bytes32 indexed code, string title, uint256 creditsRequired);
    event ProgrammeClosed(bytes32 indexed code);

    error ProgrammeExists(bytes32 code);
    error UnknownProgramme(bytes32 code);
    error NothingRequired(bytes32 code);

    /// @param issuerDirectory Decides who may change programmes.
    /// @param institutionName Name of the university, as on its seal.
    constructor(IssuerDirectory issuerDirectory, string memory institutionName) {
        directory = issuerDirectory;
        institution = institutionName;
    }

    /// @notice Opens a programme for enrolment.
    /// @param code Its code, for example `bytes32("CS-BSC")`; never used twice.
    /// @param creditsRequired What a graduate needs, in the unit of the credit ledger (18 decimals).
    function open(bytes32 code, string calldata title, uint256 creditsRequired) external onlyIssuer {
        if (_programmes[code].creditsRequired != 0) revert ProgrammeExists(code);
        if (creditsRequired == 0) revert NothingRequired(code);
        _programmes[code] = Programme(title, creditsRequired, true);
        emit ProgrammeOpened(code, title, creditsRequired);
    }

    /// @notice Ends enrolment. Students who are enrolled go on.
    function close(bytes32 code) external onlyIssuer {
        if (!isOpen(code)) revert UnknownProgramme(code);
        _programmes[code].open = false;
        emit ProgrammeClosed(code);
    }

    /// @notice The programme with this code; reverts when there never was one.
    function programme(bytes32 code) external view returns (Programme memory found) {
        found = _programmes[code];
        if (found.creditsRequired == 0) revert UnknownProgramme(code);
    }

    /// @notice True while students may enrol.
    function isOpen(bytes32 code) public view returns (bool) {
        return _programmes[code].open;
    }

    function _issuers() internal view override returns (IssuerDirectory) {
        return directory;
    }
}
