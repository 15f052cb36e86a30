package dev.sallyport.core.config;

import dev.sallyport.spi.ConfigException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.security.CodeSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Describes an unexpected exception of a plug-in's code and names the culprit, in one line; the stack only at debug.
 */
public final class PluginFault {

    private static final Logger LOG = LoggerFactory.getLogger(PluginFault.class);

    private PluginFault() {}

    /**
     * The text to report.
     *
     * @param plugin an object of the plug-in, such as its factory
     * @param method the method that was called
     */
    public static ConfigException in(Object plugin, String method, Throwable fault) {
        LOG.debug("{} failed in {}", plugin.getClass().getName(), method, fault);
        return in(plugin.getClass(), method, fault, oneLine(fault));
    }

    /**
     * As {@link #in(Object, String, Throwable)}.
     *
     * @param secret whether the plug-in's input may be a secret, so that the message must not be shown
     */
    static ConfigException in(Object plugin, String method, Throwable fault, boolean secret) {
        return secret
                ? in(plugin.getClass(), method, fault, fault.getClass().getSimpleName())
                : in(plugin, method, fault);
    }

    /**
     * The text to report for a config record whose constructor throws an unexpected exception.
     *
     * @param secret whether its input may be a secret, so that the message must not be shown
     */
    static ConfigException inConstructor(Class<?> type, Throwable fault, boolean secret) {
        return in(type, "its constructor", fault, secret ? fault.getClass().getSimpleName() : oneLine(fault));
    }

    private static ConfigException in(Class<?> type, String method, Throwable fault, String what) {
        String missing = missing(fault);
        String who = jar(type) + ": " + type.getName();
        if (!missing.isEmpty()) {
            return new ConfigException(
                    "", who + " needs the class " + missing + ", which is missing", "its jar next to this one");
        }
        return new ConfigException("", who + " failed in " + method + ": " + what + at(type, fault), "");
    }

    /** The parts of a fault that a log may show if its message may hold a secret: its class, and the plug-in's line. */
    public static String withoutMessage(Object plugin, Throwable fault) {
        String missing = missing(fault);
        String what = fault.getClass().getSimpleName();
        return (missing.isEmpty() ? what : what + ", the class " + missing + " is missing")
                + at(plugin.getClass(), fault);
    }

    /** The class that was not found, or empty if the fault is another one. */
    public static String missing(Throwable fault) {
        for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
            if (cause instanceof NoClassDefFoundError || cause instanceof ClassNotFoundException) {
                String name = String.valueOf(cause.getMessage());
                // For a class whose initialisation failed before, the message is a sentence.
                return name.indexOf(' ') < 0 ? name.replace('/', '.') : "";
            }
        }
        return "";
    }

    /** The jar or folder of classes that an object comes from. */
    public static String jar(Object plugin) {
        return jar(plugin.getClass());
    }

    private static String jar(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        if (source == null || source.getLocation() == null) {
            return type.getName();
        }
        try {
            return Path.of(source.getLocation().toURI()).toString();
        } catch (URISyntaxException | IllegalArgumentException e) {
            return source.getLocation().toString();
        }
    }

    private static String oneLine(Throwable fault) {
        return fault.toString().lines().findFirst().orElse("");
    }

    /** The innermost place in the plug-in's own code. */
    private static String at(Class<?> type, Throwable fault) {
        ClassLoader loader = type.getClassLoader();
        String name = loader == null ? null : loader.getName();
        for (StackTraceElement frame : fault.getStackTrace()) {
            if (name != null && name.equals(frame.getClassLoaderName())) {
                return " (at " + frame.getClassName() + "." + frame.getMethodName() + ", " + frame.getFileName() + ":"
                        + frame.getLineNumber() + ")";
            }
        }
        return "";
    }
}
