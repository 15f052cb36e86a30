package dev.sallyport.transforms.grpc;

import dev.sallyport.testkit.TransformContract;

class GrpcContractTest extends TransformContract {

    GrpcContractTest() {
        super(GrpcFactory.class);
    }
}
