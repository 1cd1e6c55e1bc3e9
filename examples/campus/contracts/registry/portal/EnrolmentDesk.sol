// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {CreditLedger} from "../academic/CreditLedger.sol";
import {ProgrammeRegistry} from "../academic/ProgrammeRegistry.sol";
import {IssuerDirectory} from "../access/IssuerDirectory.sol";
import {IssuerOnly} from "../access/IssuerOnly.sol";

/// @title Where students enrol, and leave with a finished programme
contract EnrolmentDesk is IssuerOnly {
    ProgrammeRegistry public immutable programmes;
    CreditLedger public immutable credits;

    /// @notice True while the desk takes new students.
    bool public isOpen;

    /// @notice The programme a student is enrolled in; zero when in none.
    mapping(address student => bytes32) public programmeOf;

    event DeskOpened(bool open);
    event Enrolled(address indexed student, bytes32 indexed code);
    event Graduated(address indexed student, bytes32 indexed code);

    error DeskClosed();
    error AlreadyEnrolled(address student);
    error NotEnrolled(address student);
    error ProgrammeNotOpen(bytes32 code);
    error CreditsMissing(address student, bytes32 code);

    /// @param programmeRegistry The programmes on offer.
    /// @param creditLedger Tells who has finished.
    /// @param openAtOnce Whether the desk takes students from the first block.
    constructor(ProgrammeRegistry programmeRegistry, CreditLedger creditLedger, bool openAtOnce) {
        programmes = programmeRegistry;
        credits = creditLedger;
        isOpen = openAtOnce;
        emit DeskOpened(openAtOnce);
    }

    /// @notice Opens or closes the desk, at the turn of the terms.
    function setOpen(bool open) external onlyIssuer {
        isOpen = open;
        emit DeskOpened(open);
    }

    /// @notice Enrols the caller.
    function enrol(bytes32 code) external {
        if (!isOpen) revert DeskClosed();
        if (isEnrolled(msg.sender)) revert AlreadyEnrolled(msg.sender);
        if (!programmes.isOpen(code)) revert ProgrammeNotOpen(code);
        programmeOf[msg.sender] = code;
        emit Enrolled(msg.sender, code);
    }

    /// @notice Ends the studies of someone who has earned every credit.
    function graduate(address student) external onlyIssuer {
        if (!isEnrolled(student)) revert NotEnrolled(student);
        bytes32 code = programmeOf[student];
        if (!credits.hasCompleted(student, code)) revert CreditsMissing(student, code);
        delete programmeOf[student];
        emit Graduated(student, code);
    }

    function isEnrolled(address student) public view returns (bool) {
        return programmeOf[student] != bytes32(0);
    }

    function _issuers() internal view override returns (IssuerDirectory) {
        return programmes.directory();
    }
}
