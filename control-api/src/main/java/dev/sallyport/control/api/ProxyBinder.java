package dev.sallyport.control.api;

import dev.sallyport.control.proxy.ProxyIdentity;
import io.micronaut.core.convert.ArgumentConversionContext;
import io.micronaut.core.type.Argument;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.bind.binders.TypedRequestArgumentBinder;
import jakarta.inject.Singleton;

/** Gives controllers the proxy that {@link RequestGate} found. */
@Singleton
final class ProxyBinder implements TypedRequestArgumentBinder<ProxyIdentity> {

    @Override
    public Argument<ProxyIdentity> argumentType() {
        return Argument.of(ProxyIdentity.class);
    }

    @Override
    public BindingResult<ProxyIdentity> bind(ArgumentConversionContext<ProxyIdentity> context, HttpRequest<?> source) {
        return () -> source.getAttribute(RequestGate.PROXY, ProxyIdentity.class);
    }
}
