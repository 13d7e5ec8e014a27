// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

interface IToken {
    function approve(address spender, uint256 amount) external returns (bool);
    function transfer(address to, uint256 amount) external returns (bool);
}

interface IDepository {
    function depositERC20(bytes32 id, address token, address receiver, uint256 amount) external;
}

/// @notice Burns a configured amount of gas, whoever pays for it.
abstract contract GasTaker {
    uint256 public taken;

    function take(uint256 taken_) external {
        taken = taken_;
    }

    function burn() internal view {
        uint256 wanted = taken;
        uint256 start = gasleft();
        while (start - gasleft() < wanted) {}
    }
}

/// @notice A recipient that burns gas when it is paid.
contract GreedyRecipient is GasTaker {
    receive() external payable {
        burn();
    }
}

/// @notice A contract wallet that accepts any signature until its owner makes it refuse, for example between simulation
/// and block.
contract GreedyWallet is GasTaker {
    bool public refuses;

    function refuse(bool refuses_) external {
        refuses = refuses_;
    }

    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        require(!refuses, "not any more");
        burn();
        return 0x1626ba7e;
    }
}

/// @notice Deposits a little of a token with hooks, and lets more of it arrive while the deposit is measured.
contract HookDepositor {
    IToken private token;
    uint256 private extra;

    function deposit(IDepository depository, IToken token_, address receiver, uint256 amount, uint256 extra_) external {
        token = token_;
        extra = extra_;
        token_.approve(address(depository), amount);
        depository.depositERC20(bytes32(uint256(1)), address(token_), receiver, amount);
    }

    function tokensMoved(address to) external {
        uint256 more = extra;
        extra = 0;
        if (more > 0) token.transfer(to, more);
    }
}
