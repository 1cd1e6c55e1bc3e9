// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// @title A board that everybody reads and its keeper writes
contract NoticeBoard {
    /// @notice The only account that may post.
    address public immutable keeper;

    /// @notice The notice on the board now.
    string public notice;

    event Posted(string notice);

    error NotKeeper(address caller);

    /// @param boardKeeper The only account that may post.
    /// @param firstNotice What the board shows at first.
    constructor(address boardKeeper, string memory firstNotice) {
        keeper = boardKeeper;
        notice = firstNotice;
        emit Posted(firstNotice);
    }

    /// @notice Replaces the notice.
    function post(string calldata next) external {
        if (msg.sender != keeper) revert NotKeeper(msg.sender);
        notice = next;
        emit Posted(next);
    }
}
