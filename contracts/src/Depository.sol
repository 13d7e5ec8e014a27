// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";

/// @title Deposits that name their swap
/// @notice Forwards a deposit to one of our receivers in the same call and emits an event that names the swap. The
/// contract never holds money: coins leave it in the call that brought them, tokens go directly from the depositor to
/// the receiver. The owner can change the receivers and pause new deposits, but cannot touch anyone's money.
contract Depository is Ownable2Step, Pausable, ReentrancyGuard {
    using SafeERC20 for IERC20;

    address[] private receivers;
    /// @dev One more than its index in `receivers`; zero if it is not one.
    mapping(address => uint256) private placeOf;

    /// @notice Money for a swap has reached a receiver.
    /// @param id the swap, as the service gave it
    /// @param token the zero address for the native coin
    /// @param amount what the receiver actually got: less than was sent if the token takes a fee, and never more
    event Deposited(bytes32 indexed id, address indexed token, address indexed receiver, uint256 amount);
    event AddressWhitelisted(address indexed addr);
    event AddressRemovedFromWhitelist(address indexed addr);
    event AddressUpdatedInWhitelist(address indexed oldAddr, address indexed newAddr);

    error ZeroAddress();
    error ZeroAmount();
    /// @notice Deposits may only go to the service's receivers.
    error NotWhitelisted();
    error AlreadyWhitelisted();
    /// @notice The coins were refused, or nothing of the token arrived.
    error TransferFailed();
    /// @notice This contract cannot be a receiver, and a receiver cannot deposit to itself.
    error InvalidReceiver();
    error SameAddress();

    /// @param owner_ may change receivers and pause; part of the input of the CREATE2 address
    /// @param receivers_ the initial receivers
    constructor(address owner_, address[] memory receivers_) Ownable(notZero(owner_)) {
        for (uint256 i = 0; i < receivers_.length; i++) add(receivers_[i]);
    }

    /// @notice Deposits the coins sent with the call.
    function depositNative(bytes32 id, address receiver) external payable nonReentrant whenNotPaused {
        check(receiver, msg.value);
        (bool sent,) = receiver.call{value: msg.value}("");
        if (!sent) revert TransferFailed();
        emit Deposited(id, address(0), receiver, msg.value);
    }

    /// @notice Deposits a token that the caller has approved to this contract.
    /// @param amount what is taken from the caller; the event has what arrived
    function depositERC20(bytes32 id, address token, address receiver, uint256 amount)
        external
        nonReentrant
        whenNotPaused
    {
        notZero(token);
        check(receiver, amount);
        uint256 before = IERC20(token).balanceOf(receiver);
        IERC20(token).safeTransferFrom(msg.sender, receiver, amount);
        uint256 received = IERC20(token).balanceOf(receiver) - before;
        if (received == 0) revert TransferFailed();
        // A token with callbacks may let other money arrive in between, which is not part of this deposit.
        emit Deposited(id, token, receiver, received < amount ? received : amount);
    }

    function addToWhitelist(address addr) external onlyOwner {
        add(addr);
    }

    function removeFromWhitelist(address addr) external onlyOwner {
        uint256 place = placeOf[addr];
        if (place == 0) revert NotWhitelisted();
        address last = receivers[receivers.length - 1];
        receivers[place - 1] = last;
        placeOf[last] = place;
        delete placeOf[addr];
        receivers.pop();
        emit AddressRemovedFromWhitelist(addr);
    }

    /// @notice Replaces one receiver by another in one step.
    function updateWhitelistedAddress(address oldAddr, address newAddr) external onlyOwner {
        if (oldAddr == newAddr) revert SameAddress();
        possible(newAddr);
        uint256 place = placeOf[oldAddr];
        if (place == 0) revert NotWhitelisted();
        if (placeOf[newAddr] != 0) revert AlreadyWhitelisted();
        receivers[place - 1] = newAddr;
        placeOf[newAddr] = place;
        delete placeOf[oldAddr];
        emit AddressUpdatedInWhitelist(oldAddr, newAddr);
    }

    /// @notice Stops new deposits. Earlier deposits are already with their receiver.
    function pause() external onlyOwner {
        _pause();
    }

    function unpause() external onlyOwner {
        _unpause();
    }

    function isWhitelisted(address addr) public view returns (bool) {
        return placeOf[addr] != 0;
    }

    function getWhitelistedAddresses() external view returns (address[] memory) {
        return receivers;
    }

    function add(address addr) private {
        possible(addr);
        if (isWhitelisted(addr)) revert AlreadyWhitelisted();
        receivers.push(addr);
        placeOf[addr] = receivers.length;
        emit AddressWhitelisted(addr);
    }

    function check(address receiver, uint256 amount) private view {
        if (!isWhitelisted(receiver)) revert NotWhitelisted();
        if (amount == 0) revert ZeroAmount();
        // Such a deposit would move nothing and still emit the event.
        if (msg.sender == receiver) revert InvalidReceiver();
    }

    function possible(address receiver) private view {
        notZero(receiver);
        if (receiver == address(this)) revert InvalidReceiver();
    }

    function notZero(address account) private pure returns (address) {
        if (account == address(0)) revert ZeroAddress();
        return account;
    }
}
