// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Forwarder} from "./Forwarder.sol";

/// @title Creates and empties deposit addresses
/// @notice An address is known and can receive before anything is deployed. Anyone may sweep: the money always goes to
/// the receiver fixed at deployment.
contract ForwarderFactory {
    address public immutable receiver;
    /// @dev The chain's first byte in the hash of a CREATE2 address: 0xff, but 0x41 on Tron.
    bytes1 private immutable prefix;

    /// @param amount what left the address; if the token takes a fee, less reached the receiver
    event Swept(bytes32 indexed salt, address indexed token, uint256 amount);
    /// @notice This address could not be emptied of this token; the rest of the batch continued.
    event SweepFailed(bytes32 indexed salt, address indexed token);

    error LengthMismatch();
    /// @notice Sweeps to the zero address would burn the money.
    error ZeroAddress();
    error UnknownPrefix();

    /// @param prefix_ see `prefix`; with a wrong one nothing could ever be swept, so other values are rejected
    constructor(address receiver_, bytes1 prefix_) {
        if (receiver_ == address(0)) revert ZeroAddress();
        if (prefix_ != 0xff && prefix_ != 0x41) revert UnknownPrefix();
        receiver = receiver_;
        prefix = prefix_;
    }

    function addressOf(bytes32 salt) public view returns (address) {
        bytes32 codeHash = keccak256(type(Forwarder).creationCode);
        return address(uint160(uint256(keccak256(abi.encodePacked(prefix, address(this), salt, codeHash)))));
    }

    /// @param tokens one for each salt; the zero address means the native coin
    /// @return amounts what left each address; zero if it was empty or its token refused
    function sweep(bytes32[] calldata salts, address[] calldata tokens) external returns (uint256[] memory amounts) {
        if (salts.length != tokens.length) revert LengthMismatch();
        amounts = new uint256[](salts.length);
        for (uint256 i = 0; i < salts.length; i++) {
            address forwarder = addressOf(salts[i]);
            if (forwarder.code.length == 0) new Forwarder{salt: salts[i]}();
            try Forwarder(payable(forwarder)).flush(tokens[i]) returns (uint256 amount) {
                amounts[i] = amount;
                if (amount > 0) emit Swept(salts[i], tokens[i], amount);
            } catch {
                emit SweepFailed(salts[i], tokens[i]);
            }
        }
    }
}
