// Names the swap of a deposit: an account calls it beside its transfer, in one transaction. It says who called, so that nobody
// can put a number beside somebody else's money. No storage, no owner, no upgrade: there is nothing to steal.
#[starknet::interface]
trait IWatchdog<TState> {
    fn watch(ref self: TState, sequence_number: felt252);
}

#[starknet::contract]
mod Watchdog {
    use starknet::{ContractAddress, get_caller_address};

    #[storage]
    struct Storage {}

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Watched: Watched,
    }

    #[derive(Drop, starknet::Event)]
    struct Watched {
        #[key]
        caller: ContractAddress,
        #[key]
        sequence_number: felt252,
    }

    #[abi(embed_v0)]
    impl Watchdog of super::IWatchdog<ContractState> {
        fn watch(ref self: ContractState, sequence_number: felt252) {
            self.emit(Watched { caller: get_caller_address(), sequence_number });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{IWatchdogDispatcher, IWatchdogDispatcherTrait, Watchdog};
    use starknet::SyscallResultTrait;
    use starknet::syscalls::deploy_syscall;

    #[test]
    fn the_event_names_the_caller_and_the_number() {
        let class = Watchdog::TEST_CLASS_HASH.try_into().unwrap();
        let (address, _) = deploy_syscall(class, 0, array![].span(), false).unwrap_syscall();
        starknet::testing::set_contract_address(starknet::contract_address_const::<0x1234>());
        IWatchdogDispatcher { contract_address: address }.watch(77);
        let (keys, data) = starknet::testing::pop_log_raw(address).unwrap();
        assert!(data.len() == 0, "no data");
        assert!(keys.len() == 3, "three keys");
        assert!(*keys.at(0) == selector!("Watched"), "the name");
        assert!(*keys.at(1) == 0x1234, "the caller");
        assert!(*keys.at(2) == 77, "the number");
    }
}
