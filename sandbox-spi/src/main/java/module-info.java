/** The contract between the control plane and what runs its VMs. */
module dev.sallyport.sandbox {
    requires static transitive org.jspecify;

    exports dev.sallyport.sandbox;

    uses dev.sallyport.sandbox.VmDriverFactory;

    provides dev.sallyport.sandbox.VmDriverFactory with
            dev.sallyport.sandbox.FakeDriverFactory,
            dev.sallyport.sandbox.NoDriverFactory;
}
