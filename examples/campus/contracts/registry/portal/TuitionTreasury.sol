// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {EnrolmentDesk} from "./EnrolmentDesk.sol";

/// @title Tuition fees
/// @notice Enrolled students pay term by term; only the bursar takes money out.
contract TuitionTreasury {
    EnrolmentDesk public immutable desk;
    address public immutable bursar;

    /// @notice Fee of one term, in wei.
    uint256 public immutable fee;

    /// @notice Whether a student has paid a term.
    mapping(address student => mapping(uint256 term => bool)) public hasPaid;

    event TuitionPaid(address indexed student, uint256 indexed term);
    event Withdrawn(address indexed to, uint256 amount);

    error AlreadyPaid(address student, uint256 term);
    error NotBursar(address caller);
    error NotEnrolled(address student);
    error WithdrawalRefused(address to);
    error WrongFee(uint256 paid, uint256 fee);
    error ZeroAddress();

    /// @param enrolmentDesk Tells who is a student.
    /// @param bursarAccount The only account that may withdraw.
    /// @param feePerTerm Fee of one term, in wei.
    constructor(EnrolmentDesk enrolmentDesk, address bursarAccount, uint256 feePerTerm) {
        if (bursarAccount == address(0)) revert ZeroAddress();
        desk = enrolmentDesk;
        bursar = bursarAccount;
        fee = feePerTerm;
    }

    /// @notice Pays one term for the caller. Exactly the fee is taken.
    /// @param term The term as year and half, for example 20261.
    function pay(uint256 term) external payable {
        if (!desk.isEnrolled(msg.sender)) revert NotEnrolled(msg.sender);
        if (hasPaid[msg.sender][term]) revert AlreadyPaid(msg.sender, term);
        if (msg.value != fee) revert WrongFee(msg.value, fee);
        hasPaid[msg.sender][term] = true;
        emit TuitionPaid(msg.sender, term);
    }

    /// @notice Sends `amount` wei to `to`.
    function withdraw(address payable to, uint256 amount) external {
        if (msg.sender != bursar) revert NotBursar(msg.sender);
        emit Withdrawn(to, amount);
        (bool sent, ) = to.call{value: amount}("");
        if (!sent) revert WithdrawalRefused(to);
    }
}
