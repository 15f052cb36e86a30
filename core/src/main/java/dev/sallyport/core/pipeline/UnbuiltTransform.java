package dev.sallyport.core.pipeline;

import dev.sallyport.spi.Admission;
import dev.sallyport.spi.ConnectContext;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.spi.Transform;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Takes the place of a transform that could not be created, in a generation that only explains: its decision is
 * unknown, and a request that reaches it fails.
 *
 * @param scope where the transform acts; empty for everywhere
 * @param why what kept it from being made; never a secret
 *
 */
public record UnbuiltTransform(RuleSet scope, String why) implements Transform {

    /** The code of its refusals, which {@link Stage#unbuilt} tells from others. */
    public static final String CODE = "transform_missing";

    @Override
    public Admission onConnect(ConnectContext context) {
        return scope.isEmpty() || context.mayReach(scope)
                ? Admission.refuse(CODE, "A transform could not be made.")
                : Admission.pass();
    }

    @Override
    public CompletionStage<Decision> onRequest(RequestContext context) {
        return CompletableFuture.failedFuture(new IllegalStateException("the transform could not be made"));
    }
}
