// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// @title The one question that membership asks of the enrolment desk
interface IEnrolment {
    /// @notice True while the account studies here.
    function isEnrolled(address student) external view returns (bool);
}
