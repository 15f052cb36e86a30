package dev.sallyport.transforms.hmacsign;

import dev.sallyport.testkit.TransformContract;

class HmacSignContractTest extends TransformContract {

    HmacSignContractTest() {
        super(HmacSignFactory.class);
    }
}
