// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";

interface IDepository {
    function depositERC20(bytes32 id, address token, address receiver, uint256 amount) external;
}

/// @dev EIP-3009, in its standard form and in the one that contract wallets need.
interface IERC3009 {
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;

    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) external;
}

/// @title Deposits by signature
/// @notice Takes what an owner has signed for and deposits it for one swap, in one call: the owner needs no gas. Only
/// the relayer may call. No money stays here, and each swap is deposited for at most once. There is no owner, no pause
/// and no upgrade.
contract Paymaster is ReentrancyGuard {
    using SafeERC20 for IERC20;

    struct Deposit {
        bytes32 id;
        address token;
        address receiver;
        address owner;
        uint256 amount;
    }

    address public immutable relayer;
    IDepository public immutable depository;
    /// @notice Swaps that were deposited for: a remaining allowance cannot be used for them again.
    mapping(bytes32 id => bool) public isDeposited;

    /// @notice The owner's money went through the Depository.
    /// @param amount what arrived here of the signed amount, all of it deposited; less than the owner paid if the token
    /// takes a fee. `Deposited` has what reached the receiver
    event Relayed(bytes32 indexed id, address indexed token, address indexed owner, uint256 amount);

    error ZeroAddress();
    error ZeroAmount();
    error NotRelayer();
    error AlreadyDeposited();
    error Expired();
    /// @notice Tokens were left here.
    error Remainder();

    constructor(address relayer_, address depository_) {
        if (relayer_ == address(0) || depository_ == address(0)) revert ZeroAddress();
        relayer = relayer_;
        depository = IDepository(depository_);
    }

    /// @notice Deposits by an EIP-3009 authorization. Its nonce is `nonceOf(id, receiver, validBefore)`, so the
    /// signature is valid for that swap only, and the token accepts a nonce once.
    /// @param signature 65 bytes r, s, v, or whatever the owner's contract wallet accepts
    function depositWithAuthorization(
        Deposit calldata deposit,
        uint256 validAfter,
        uint256 validBefore,
        bytes calldata signature
    ) external nonReentrant {
        uint256 before = begin(deposit);
        bytes32 nonce = nonceOf(deposit.id, deposit.receiver, validBefore);
        if (signature.length == 65) {
            IERC3009(deposit.token).receiveWithAuthorization(
                deposit.owner,
                address(this),
                deposit.amount,
                validAfter,
                validBefore,
                nonce,
                uint8(signature[64]),
                bytes32(signature[0:32]),
                bytes32(signature[32:64])
            );
        } else {
            IERC3009(deposit.token).receiveWithAuthorization(
                deposit.owner, address(this), deposit.amount, validAfter, validBefore, nonce, signature
            );
        }
        forward(deposit, before);
    }

    /// @notice Deposits by an ERC-2612 permit. Anyone who sees a permit may submit it before us: then the allowance
    /// exists already, and that is enough.
    function depositWithPermit(Deposit calldata deposit, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external
        nonReentrant
    {
        uint256 before = begin(deposit);
        if (block.timestamp > deadline) revert Expired();
        try IERC20Permit(deposit.token).permit(deposit.owner, address(this), deposit.amount, deadline, v, r, s) {}
        catch {}
        IERC20(deposit.token).safeTransferFrom(deposit.owner, address(this), deposit.amount);
        forward(deposit, before);
    }

    /// @notice The nonce that an EIP-3009 authorization must have to be used for this swap.
    function nonceOf(bytes32 id, address receiver, uint256 validBefore) public pure returns (bytes32) {
        return keccak256(abi.encode(id, receiver, validBefore));
    }

    function begin(Deposit calldata deposit) private returns (uint256 before) {
        if (msg.sender != relayer) revert NotRelayer();
        if (isDeposited[deposit.id]) revert AlreadyDeposited();
        isDeposited[deposit.id] = true;
        return IERC20(deposit.token).balanceOf(address(this));
    }

    function forward(Deposit calldata deposit, uint256 before) private {
        IERC20 token = IERC20(deposit.token);
        uint256 pulled = token.balanceOf(address(this)) - before;
        if (pulled == 0) revert ZeroAmount();
        token.forceApprove(address(depository), pulled);
        depository.depositERC20(deposit.id, deposit.token, deposit.receiver, pulled);
        if (token.balanceOf(address(this)) != before) revert Remainder();
        emit Relayed(deposit.id, deposit.token, deposit.owner, pulled);
    }
}
