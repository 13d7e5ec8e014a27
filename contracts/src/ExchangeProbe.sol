// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

interface IBalances {
    function balanceOf(address owner) external view returns (uint256);
}

/// Measures an exchange in a simulation. It is never deployed: a node runs its code in place of the treasury for one
/// `eth_call`, and discards everything afterwards.
contract ExchangeProbe {
    /// `sold` is zero for the native coin, whose amount is the call's value. `received`: what `to` got of `bought`.
    function probe(address sold, uint256 units, address router, bytes calldata data, address bought, address to)
        external
        payable
        returns (bool success, bytes memory answer, uint256 received)
    {
        if (sold != address(0)) {
            // Some tokens refuse to change an allowance that is not zero. Then the present one must suffice.
            (success,) = sold.call(abi.encodeWithSignature("approve(address,uint256)", router, units));
        }
        uint256 before = IBalances(bought).balanceOf(to);
        (success, answer) = router.call{value: sold == address(0) ? units : 0}(data);
        received = IBalances(bought).balanceOf(to) - before;
    }
}
