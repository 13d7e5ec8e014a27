// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

interface IExchangedToken {
    function transferFrom(address from, address to, uint256 units) external returns (bool);
    function transfer(address to, uint256 units) external returns (bool);
    function approve(address spender, uint256 units) external returns (bool);
    function balanceOf(address owner) external view returns (uint256);
}

/// A simulated aggregation router for local chains. Its `swap` has the signature and the checks of the generic router
/// of 1inch v6: an executor that nobody trusts does the exchange, and the router enforces the minimum and pays.
contract SimulatedAggregationRouter {
    struct SwapDescription {
        address srcToken;
        address dstToken;
        address srcReceiver;
        address dstReceiver;
        uint256 amount;
        uint256 minReturnAmount;
        uint256 flags;
    }

    address private constant NATIVE = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;

    function swap(address executor, SwapDescription calldata desc, bytes calldata data)
        external
        payable
        returns (uint256 returnAmount, uint256 spentAmount)
    {
        require(desc.minReturnAmount > 0, "zero min return");
        bool isNative = desc.srcToken == NATIVE;
        require(msg.value == (isNative ? desc.amount : 0), "invalid msg value");
        if (!isNative) {
            require(IExchangedToken(desc.srcToken).transferFrom(msg.sender, desc.srcReceiver, desc.amount), "not moved");
        }
        // The executor reads its data behind its only argument, without a length.
        (bool success, bytes memory answer) =
            executor.call{value: msg.value}(abi.encodePacked(bytes4(0x4b64e492), abi.encode(msg.sender), data));
        require(success, "executor failed");
        returnAmount = abi.decode(answer, (uint256));
        spentAmount = desc.amount;
        require(returnAmount >= desc.minReturnAmount, "return amount is not enough");
        require(IExchangedToken(desc.dstToken).transfer(desc.dstReceiver, returnAmount), "not paid");
    }
}

/// Makes one call of an exchange's router for the aggregation router, which gets the output.
contract SimulatedExecutor {
    function execute(address) external payable returns (uint256 output) {
        (address sold, address bought, address exchange, uint256 units, bytes memory call) =
            abi.decode(msg.data[36:], (address, address, address, uint256, bytes));
        if (msg.value == 0) IExchangedToken(sold).approve(exchange, units);
        uint256 before = IExchangedToken(bought).balanceOf(msg.sender);
        (bool success,) = exchange.call{value: msg.value}(call);
        require(success, "exchange failed");
        output = IExchangedToken(bought).balanceOf(msg.sender) - before;
    }
}
