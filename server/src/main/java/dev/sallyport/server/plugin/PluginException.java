package dev.sallyport.server.plugin;

import java.util.List;

/** Reports plug-ins that cannot be used. */
public final class PluginException extends Exception {

    private static final long serialVersionUID = 1L;

    private final transient List<String> problems;

    PluginException(List<String> problems) {
        super(String.join("\n", problems));
        this.problems = List.copyOf(problems);
    }

    /** One line for each problem, naming the jar; at least one. */
    public List<String> problems() {
        return problems;
    }
}
