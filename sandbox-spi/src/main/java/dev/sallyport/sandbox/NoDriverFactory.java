package dev.sallyport.sandbox;

import java.util.Map;

/** The driver {@code none}: for a control plane without sandboxes. */
public final class NoDriverFactory implements VmDriverFactory {

    /** For the service loader. */
    public NoDriverFactory() {}

    @Override
    public String name() {
        return "none";
    }

    @Override
    public VmDriver create(Map<String, String> settings) throws VmException {
        Settings.requireNone(name(), settings);
        return new NoDriver("sandboxes are switched off (driver none)");
    }
}
