package dev.sallyport.transforms.allowlist;

import dev.sallyport.testkit.TransformContract;

class AllowlistContractTest extends TransformContract {

    AllowlistContractTest() {
        super(AllowlistFactory.class);
    }
}
