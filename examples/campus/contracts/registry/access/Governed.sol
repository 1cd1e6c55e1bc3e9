// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// @title One account governs
/// @notice Governance moves in two steps, so that a mistyped address can never take it.
abstract contract Governed {
    /// @notice The account that governs now.
    address public governor;

    /// @notice The account that may accept governance; zero when none is nominated.
    address public nominee;

    event GovernorNominated(address indexed nominee);
    event GovernorChanged(address indexed previous, address indexed current);

    error NotGovernor(address caller);
    error NotNominee(address caller);
    error ZeroAddress();

    modifier onlyGovernor() {
        if (msg.sender != governor) revert NotGovernor(msg.sender);
        _;
    }

    constructor(address initialGovernor) {
        if (initialGovernor == address(0)) revert ZeroAddress();
        governor = initialGovernor;
        emit GovernorChanged(address(0), initialGovernor);
    }

    /// @notice Offers governance to `candidate`, who has to accept it.
    function nominate(address candidate) external onlyGovernor {
        nominee = candidate;
        emit GovernorNominated(candidate);
    }

    /// @notice Takes over governance after a nomination.
    function acceptGovernance() external {
        if (msg.sender != nominee) revert NotNominee(msg.sender);
        emit GovernorChanged(governor, msg.sender);
        governor = msg.sender;
        delete nominee;
    }
}
