package dev.sallyport.core.pipeline;

import dev.sallyport.spi.Admission;
import dev.sallyport.spi.ConnectContext;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.RequestContext;

/** Takes the place of a policy that is missing: refuses every tunnel and every request. */
record RefusingTransform(int status, String code, String detail) implements InlineTransform {

    /** The name in audit records; a transform of a configuration cannot have it, because it would be unknown. */
    static final String NAME = "workloads";

    @Override
    public Admission onConnect(ConnectContext context) {
        return Admission.refuse(code, detail);
    }

    @Override
    public Decision decide(RequestContext context) {
        return Decision.reject(status, code, detail);
    }
}
