package dev.sallyport.transforms.judge;

import dev.sallyport.testkit.TransformContract;

class JudgeContractTest extends TransformContract {

    JudgeContractTest() {
        super(JudgeFactory.class);
    }
}
