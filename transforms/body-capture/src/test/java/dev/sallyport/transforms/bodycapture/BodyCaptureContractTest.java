package dev.sallyport.transforms.bodycapture;

import dev.sallyport.testkit.TransformContract;

class BodyCaptureContractTest extends TransformContract {

    BodyCaptureContractTest() {
        super(BodyCaptureFactory.class);
    }
}
