package dev.sallyport.transforms.hmacsign;

import dev.sallyport.toolkit.template.Template;
import dev.sallyport.toolkit.template.TemplateException;
import dev.sallyport.toolkit.template.TemplateSchema;
import java.util.Collection;

/** The fields that the templates of one configuration may use. The key is not among them. */
final class Templates {

    static final String TIMESTAMP = "Timestamp";
    static final String METHOD = "Method";
    static final String PATH = "Path";
    static final String PATH_WITH_QUERY = "PathWithQuery";
    static final String QUERY = "Query";
    static final String HOST = "Host";
    static final String BODY = "Body";
    static final String SIGNATURE = "Signature";
    static final String CREDENTIALS = "Credentials";

    private final TemplateSchema message;
    private final TemplateSchema header;

    /** @param credentials the names that templates may use */
    Templates(Collection<String> credentials) {
        message = TemplateSchema.builder()
                .text(TIMESTAMP)
                .text(METHOD)
                .text(PATH)
                .text(PATH_WITH_QUERY)
                .text(QUERY)
                .text(HOST)
                .text(BODY)
                .texts(CREDENTIALS, credentials)
                .build();
        header = TemplateSchema.builder()
                .text(TIMESTAMP)
                .text(SIGNATURE)
                .texts(CREDENTIALS, credentials)
                .build();
    }

    /** The fields of the message's template. */
    TemplateSchema message() {
        return message;
    }

    /** The fields of a header's template. */
    TemplateSchema header() {
        return header;
    }

    Template message(String source) throws TemplateException {
        return Template.compile(source, message);
    }

    Template header(String source) throws TemplateException {
        return Template.compile(source, header);
    }
}
