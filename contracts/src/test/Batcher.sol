// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Several calls in one transaction
/// @notice Imitates smart wallets and payment splitters, and attackers that look like one.
contract Batcher {
    struct Call {
        address to;
        uint256 value;
        bytes data;
    }

    /// @notice Makes the calls; a failing one does not stop the rest.
    function run(Call[] calldata calls) external payable {
        for (uint256 i = 0; i < calls.length; i++) {
            (bool done,) = calls[i].to.call{value: calls[i].value}(calls[i].data);
            done;
        }
    }

    /// @notice Sends the value in an inner call that reverts, while the transaction itself succeeds.
    function sendAndTakeBack(address to) external payable {
        try this.sendAndRevert{value: msg.value}(to) {} catch {}
    }

    function sendAndRevert(address to) external payable {
        (bool done,) = to.call{value: msg.value}("");
        require(!done, "taken back");
    }

    /// @notice Forwards one call given as raw bytes after the target, so that the input ends as that call does.
    fallback() external payable {
        address to = address(bytes20(msg.data[4:24]));
        (bool done,) = to.call{value: msg.value}(msg.data[24:]);
        require(done, "inner call failed");
    }

    receive() external payable {}
}
