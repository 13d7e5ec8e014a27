// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

interface IForwarderFactory {
    function receiver() external view returns (address);
}

/// @title A deposit address
/// @notice Holds what was sent to it until anyone flushes it. The money can only go to the receiver of the factory that
/// created it. The constructor takes no argument, so the address depends on factory and salt alone.
/// @dev The code is paid for once per address, so the token calls are written in assembly to keep it small.
contract Forwarder {
    address private immutable receiver;

    constructor() {
        receiver = IForwarderFactory(msg.sender).receiver();
    }

    receive() external payable {}

    /// @param token the token to flush; the zero address means the native coin
    /// @return amount what left this address for the receiver; reverts if nothing could be sent
    function flush(address token) external returns (uint256 amount) {
        address to = receiver;
        assembly ("memory-safe") {
            switch token
            case 0 {
                amount := selfbalance()
                if iszero(call(gas(), to, amount, 0, 0, 0, 0)) { revert(0, 0) }
            }
            default {
                let call_ := mload(0x40)
                // balanceOf(address(this)), which returns one word
                mstore(call_, shl(224, 0x70a08231))
                mstore(add(call_, 4), address())
                if iszero(staticcall(gas(), token, call_, 36, 0, 32)) { revert(0, 0) }
                if lt(returndatasize(), 32) { revert(0, 0) }
                amount := mload(0)
                if amount {
                    // transfer(to, amount): its return value is ignored. Some of the oldest tokens return nothing, and
                    // USDT on Tron returns false although it moved the money. The remaining balance shows whether it
                    // moved
                    mstore(call_, shl(224, 0xa9059cbb))
                    mstore(add(call_, 4), to)
                    mstore(add(call_, 36), amount)
                    if iszero(call(gas(), token, 0, call_, 68, 0, 0)) { revert(0, 0) }
                    mstore(call_, shl(224, 0x70a08231))
                    mstore(add(call_, 4), address())
                    if iszero(staticcall(gas(), token, call_, 36, 0, 32)) { revert(0, 0) }
                    if iszero(lt(mload(0), amount)) { revert(0, 0) }
                    amount := sub(amount, mload(0))
                }
            }
        }
    }
}
