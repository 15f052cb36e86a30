package dev.sallyport.transforms.headerallowlist;

import dev.sallyport.testkit.TransformContract;

class HeaderAllowlistContractTest extends TransformContract {

    HeaderAllowlistContractTest() {
        super(HeaderAllowlistFactory.class);
    }
}
