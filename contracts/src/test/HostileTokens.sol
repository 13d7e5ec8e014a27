// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TestToken} from "./TestToken.sol";

/// @notice Returns false instead of reverting, and moves nothing.
contract FalseToken is TestToken {
    function move(address, address, uint256) internal pure override returns (bool) {
        return false;
    }
}

/// @notice Emits transfers that never happened.
contract LyingToken is TestToken {
    function move(address from, address to, uint256 amount) internal override returns (bool) {
        emit Transfer(from, to, amount);
        return true;
    }
}

/// @notice Keeps a tenth of every transfer, and reports the whole.
contract FeeToken is TestToken {
    function move(address from, address to, uint256 amount) internal override returns (bool) {
        require(balanceOf[from] >= amount, "transfer amount exceeds balance");
        balanceOf[from] -= amount;
        balanceOf[to] += amount - amount / 10;
        emit Transfer(from, to, amount);
        return true;
    }
}

/// @notice Rejects recipients and senders on its list, as the large stablecoins can.
contract BlockingToken is TestToken {
    mapping(address => bool) public blocked;

    function setBlocked(address account, bool value) external {
        blocked[account] = value;
    }

    function move(address from, address to, uint256 amount) internal override returns (bool) {
        require(!blocked[from] && !blocked[to], "account is blocked");
        return super.move(from, to, amount);
    }
}

/// @notice Moves the money and returns nothing, as the oldest tokens do.
contract SilentToken {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function approve(address spender, uint256 amount) external {
        allowance[msg.sender][spender] = amount;
    }

    function transferFrom(address from, address to, uint256 amount) external {
        allowance[from][msg.sender] -= amount;
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        emit Transfer(from, to, amount);
    }

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    function transfer(address to, uint256 amount) external {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        emit Transfer(msg.sender, to, amount);
    }
}

/// @notice Moves the money but returns false, as USDT on Tron does.
contract TronToken is TestToken {
    function move(address from, address to, uint256 amount) internal override returns (bool) {
        super.move(from, to, amount);
        return false;
    }
}

/// @notice Calls the sender after the transfer, as tokens with hooks may.
contract HookToken is TestToken {
    function move(address from, address to, uint256 amount) internal override returns (bool) {
        super.move(from, to, amount);
        if (from.code.length > 0) {
            (bool called,) = from.call(abi.encodeWithSignature("tokensMoved(address)", to));
            called;
        }
        return true;
    }
}
