package dev.sallyport.control.api;

import dev.sallyport.control.model.Caller;
import io.micronaut.core.convert.ArgumentConversionContext;
import io.micronaut.core.type.Argument;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.bind.binders.TypedRequestArgumentBinder;
import jakarta.inject.Singleton;

/** Gives controllers the caller that {@link RequestGate} found. */
@Singleton
final class CallerBinder implements TypedRequestArgumentBinder<Caller> {

    @Override
    public Argument<Caller> argumentType() {
        return Argument.of(Caller.class);
    }

    @Override
    public BindingResult<Caller> bind(ArgumentConversionContext<Caller> context, HttpRequest<?> source) {
        return () -> source.getAttribute(RequestGate.CALLER, Caller.class);
    }
}
