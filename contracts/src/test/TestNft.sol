// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title An NFT for local chains
/// @notice The part of ERC-721 that shows ownership. Like the original it reverts for the zero address.
contract TestNft {
    mapping(uint256 => address) public ownerOf;
    mapping(address => uint256) private held;

    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);

    function balanceOf(address owner) external view returns (uint256) {
        require(owner != address(0), "invalid owner");
        return held[owner];
    }

    function mint(address to, uint256 tokenId) external {
        require(ownerOf[tokenId] == address(0), "already minted");
        ownerOf[tokenId] = to;
        held[to]++;
        emit Transfer(address(0), to, tokenId);
    }

    function transferFrom(address from, address to, uint256 tokenId) external {
        require(ownerOf[tokenId] == from && msg.sender == from, "not the owner");
        ownerOf[tokenId] = to;
        held[from]--;
        held[to]++;
        emit Transfer(from, to, tokenId);
    }
}
