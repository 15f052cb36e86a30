package dev.sallyport.ctl;

import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How answers are shown. */
enum Format {
    /** A table. */
    TABLE,
    /** A table with more columns. */
    WIDE,
    /** The document of the API. */
    JSON,
    /** The document of the API, as YAML. */
    YAML,
    /** Names that other commands take. */
    NAME;

    /** Whether it shows documents of the API. */
    boolean isDocument() {
        return this == JSON || this == YAML;
    }

    /** As it is written on the command line. */
    static final class Converter implements ITypeConverter<Format> {

        @Override
        public Format convert(String value) {
            for (Format format : values()) {
                if (format.name().toLowerCase(Locale.ROOT).equals(value)) {
                    return format;
                }
            }
            throw new TypeConversionException("expected json, yaml, name, wide or table, but was " + value);
        }
    }
}
