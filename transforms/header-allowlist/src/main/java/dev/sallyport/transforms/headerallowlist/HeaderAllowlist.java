package dev.sallyport.transforms.headerallowlist;

import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Headers;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestHead;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.spi.Trace;
import dev.sallyport.spi.TrailerEditor;
import dev.sallyport.toolkit.headers.HeaderNames;
import dev.sallyport.toolkit.headers.HeaderPatterns;
import dev.sallyport.toolkit.headers.ReservedFields;
import java.util.LinkedHashSet;
import java.util.OptionalLong;
import java.util.Set;

/** Strips what is not listed; allocates nothing for a request without a body whose headers are all listed. */
final class HeaderAllowlist implements InlineTransform {

    private static final String STRIPPED = "stripped_headers";

    private final RuleSet rules;
    private final HeaderPatterns allowed;

    HeaderAllowlist(RuleSet rules, HeaderPatterns allowed) {
        this.rules = rules;
        this.allowed = allowed;
    }

    @Override
    public Decision decide(RequestContext context) {
        if (!rules.isEmpty() && rules.match(context) == RuleSet.NO_MATCH) {
            return Decision.proceed();
        }
        RequestHead head = context.head();
        Set<String> unknown = unknownHeaders(head.headers());
        boolean bodyless = endsWithHead(head);
        if (unknown.isEmpty() && bodyless) {
            return Decision.proceed();
        }
        Edits.Builder edits = Edits.builder();
        unknown.forEach(edits::removeHeader);
        if (!unknown.isEmpty()) {
            context.trace().annotate(STRIPPED, unknown);
        }
        if (!bodyless) {
            edits.editTrailers(trailers(unknown, context.trace()));
        }
        return Decision.proceed(edits.build());
    }

    /** Only a message with a body has trailers. */
    private static boolean endsWithHead(RequestHead head) {
        OptionalLong length = head.contentLength();
        return length.isPresent() && length.getAsLong() == 0;
    }

    /** The canonical names of the fields to strip, in the order of the wire. */
    private Set<String> unknownHeaders(Headers headers) {
        Set<String> unknown = Set.of();
        for (int i = 0; i < headers.size(); i++) {
            String name = headers.name(i);
            if (!allowed.matches(name) && !MessageHeaders.contains(name, headers.value(i))) {
                unknown = with(unknown, name);
            }
        }
        return unknown;
    }

    /** No trailer is needed to deliver the message; the engine itself drops those that belong to it. */
    private TrailerEditor trailers(Set<String> strippedBefore, Trace trace) {
        return trailers -> {
            Set<String> unknown = Set.of();
            for (int i = 0; i < trailers.size(); i++) {
                String name = trailers.name(i);
                if (!allowed.matches(name) && !ReservedFields.isReserved(name)) {
                    unknown = with(unknown, name);
                }
            }
            if (unknown.isEmpty()) {
                return Edits.none();
            }
            Set<String> all = new LinkedHashSet<>(strippedBefore);
            all.addAll(unknown);
            trace.annotate(STRIPPED, all);
            Edits.Builder edits = Edits.builder();
            unknown.forEach(edits::removeHeader);
            return edits.build();
        };
    }

    private static Set<String> with(Set<String> names, String name) {
        Set<String> more = names.isEmpty() ? new LinkedHashSet<>() : names;
        more.add(HeaderNames.canonical(name));
        return more;
    }
}
