package dev.sallyport.sandbox;

/**
 * A made-up VM.
 *
 * @param variables what it has in its environment
 * @param state what is known of it; where its sshd listens is known only while this process runs
 */
record FakeVm(VmSpec spec, GuestVariables variables, Observed state) {

    /** As it is made. */
    FakeVm(VmSpec spec) {
        this(spec, new GuestVariables(spec.guest().environment()), new Observed.Stopped());
    }

    FakeVm as(Observed next) {
        return new FakeVm(spec, variables, next);
    }

    FakeVm with(GuestVariables others) {
        return new FakeVm(spec, others, state);
    }
}
