// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {IssuerDirectory} from "../access/IssuerDirectory.sol";
import {IssuerOnly} from "../access/IssuerOnly.sol";
import {ProgrammeRegistry} from "./ProgrammeRegistry.sol";

/// @title Study credits (ECTS)
/// @notice Has the readable side of an ERC-20 token, so that any wallet shows a student's credits. Credits are
/// earned, never sold: there is no transfer.
contract CreditLedger is IssuerOnly {
    string public constant name = "Campus Study Credits";
    string public constant symbol = "ECTS";

    /// @notice One credit is 10^18 units; half credits exist.
    uint8 public constant decimals = 18;

    /// @notice The programmes that credits are awarded for.
    ProgrammeRegistry public immutable programmes;

    /// @notice Most units that may ever be awarded.
    uint256 public immutable cap;

    /// @notice Units awarded so far.
    uint256 public totalSupply;

    /// @notice Units that a student holds over all programmes.
    mapping(address student => uint256) public balanceOf;

    mapping(address student => mapping(bytes32 code => uint256)) private _earned;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event CreditsAwarded(address indexed student, bytes32 indexed code, uint256 units, address indexed issuer);

    error CapExceeded(uint256 wanted, uint256 left);

    /// @param programmeRegistry The programmes that credits are awarded for.
    /// @param creditCap Most units that may ever be awarded (18 decimals).
    constructor(ProgrammeRegistry programmeRegistry, uint256 creditCap) {
        programmes = programmeRegistry;
        cap = creditCap;
    }

    /// @notice Awards credits to a student for one programme.
    function award(address student, bytes32 code, uint256 units) external onlyIssuer {
        programmes.programme(code);
        if (units > cap - totalSupply) revert CapExceeded(units, cap - totalSupply);
        totalSupply += units;
        balanceOf[student] += units;
        _earned[student][code] += units;
        emit Transfer(address(0), student, units);
        emit CreditsAwarded(student, code, units, msg.sender);
    }

    /// @notice Units that a student earned in one programme.
    function earned(address student, bytes32 code) public view returns (uint256) {
        return _earned[student][code];
    }

    /// @notice True when the student has what the programme asks for.
    function hasCompleted(address student, bytes32 code) external view returns (bool) {
        return earned(student, code) >= programmes.programme(code).creditsRequired;
    }

    function _issuers() internal view override returns (IssuerDirectory) {
        return programmes.directory();
    }
}
