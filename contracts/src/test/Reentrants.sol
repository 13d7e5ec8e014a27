// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TestToken} from "./TestToken.sol";

/// @notice Makes one prepared call in the middle of another call, and records whether it succeeded.
abstract contract Reentrant {
    address private target;
    bytes private data;
    bool public wasCalled;
    bool public wentThrough;

    function prepare(address target_, bytes calldata data_) external {
        target = target_;
        data = data_;
    }

    function reenter() internal {
        if (target == address(0)) return;
        wasCalled = true;
        (wentThrough,) = target.call{value: address(this).balance}(data);
    }
}

/// @notice A token that calls back during a transfer.
contract ReentrantToken is TestToken, Reentrant {
    function move(address from, address to, uint256 amount) internal override returns (bool) {
        reenter();
        return super.move(from, to, amount);
    }
}

/// @notice A receiver that calls back when it is paid, or refuses the money.
contract ReentrantReceiver is Reentrant {
    bool private refuses;

    function refuse(bool refuses_) external {
        refuses = refuses_;
    }

    receive() external payable {
        require(!refuses, "no money here");
        reenter();
    }
}
