package dev.sallyport.toolkit.template;

import dev.sallyport.spi.ConfigException;

/** A template that cannot be compiled: a configuration error. The message names fields and functions, never values. */
public final class TemplateException extends Exception {

    private static final long serialVersionUID = 1L;

    private final int line;
    private final int column;
    private final String reason;
    private final String expected;

    private TemplateException(int line, int column, String reason, String expected) {
        super((line > 1 ? "line " + line + ", " : "") + "column " + column + ": " + reason + " (expected: " + expected
                + ")");
        this.line = line;
        this.column = column;
        this.reason = reason;
        this.expected = expected;
    }

    static TemplateException at(String source, int offset, String reason, String expected) {
        int line = 1;
        int start = 0;
        for (int i = 0; i < offset; i++) {
            if (source.charAt(i) == '\n') {
                line++;
                start = i + 1;
            }
        }
        return new TemplateException(line, source.codePointCount(start, offset) + 1, reason, expected);
    }

    /** The line in the template, counted from 1. */
    public int line() {
        return line;
    }

    /** The character in the line, counted from 1. */
    public int column() {
        return column;
    }

    /** The problem, without the place. */
    public String reason() {
        return reason;
    }

    /** What was expected. */
    public String expected() {
        return expected;
    }

    /** The same problem at a place of a configuration. */
    public ConfigException at(String pointer) {
        String place = line > 1 ? "line " + line + ", column " + column : "column " + column;
        return new ConfigException(pointer, reason + " in the template at " + place, expected).causedBy(this);
    }
}
