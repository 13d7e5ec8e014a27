// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TestToken} from "./TestToken.sol";

/// @title USDT on Tron, as far as we rely on it
/// @notice `transfer` moves the money and returns false, `transferFrom` returns true. Blacklisted accounts can receive
/// but not spend. While it is paused, no transfer works.
contract TronDollar is TestToken {
    mapping(address => bool) public isBlackListed;
    bool public paused;

    function setBlackListed(address who, bool listed) external {
        isBlackListed[who] = listed;
    }

    function setPaused(bool paused_) external {
        paused = paused_;
    }

    function move(address from, address to, uint256 amount) internal override returns (bool) {
        require(!paused, "paused");
        require(!isBlackListed[from], "the sender is listed");
        super.move(from, to, amount);
        return msg.sig != this.transfer.selector;
    }
}
