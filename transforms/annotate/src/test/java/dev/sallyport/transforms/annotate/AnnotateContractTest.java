package dev.sallyport.transforms.annotate;

import dev.sallyport.testkit.TransformContract;

class AnnotateContractTest extends TransformContract {

    AnnotateContractTest() {
        super(AnnotateFactory.class);
    }
}
