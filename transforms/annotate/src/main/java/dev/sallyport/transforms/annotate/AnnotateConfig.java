package dev.sallyport.transforms.annotate;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.NoSecret;
import dev.sallyport.spi.Rule;
import java.util.List;

/** Configuration of {@code annotate}. */
public record AnnotateConfig(
        @JsonPropertyDescription("What is recorded, and for which requests; a request may match several.")
        List<Annotation> annotations,

        @JsonPropertyDescription(
                "Record credentials that earlier transforms have put in verbatim, instead of as `***`.")
        boolean allowDisclosure) {

    public AnnotateConfig {
        annotations = List.copyOf(annotations);
    }

    /** All rules together. */
    List<Rule> scope() {
        return annotations.stream()
                .flatMap(annotation -> annotation.rules().stream())
                .toList();
    }

    /** Some headers of some requests. */
    public record Annotation(
            @JsonProperty(required = true) @JsonPropertyDescription("Destinations; at least one.")
            List<Rule> rules,

            @JsonProperty(required = true)
            @JsonPropertyDescription("Names of request headers, in any casing; `Host` is there over HTTP/2 too.")
            @NoSecret
            List<String> headers) {

        public Annotation {
            rules = List.copyOf(rules);
            headers = List.copyOf(headers);
        }
    }
}
