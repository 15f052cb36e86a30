package dev.sallyport.core.pipeline;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.spi.Edit;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.Part;
import dev.sallyport.toolkit.headers.FieldSyntax;
import dev.sallyport.toolkit.headers.ReasonPhrases;
import dev.sallyport.toolkit.headers.ReservedFields;
import java.util.List;

/**
 * Checks edits of heads against what the transform has declared and what a message can carry, and applies them. Each
 * edit is checked before it is applied, so that a refused one changes nothing.
 */
final class HeadEditor {

    /** What a line costs beyond its characters. */
    private static final int LINE = 96;

    private HeadEditor() {}

    /** How many bytes an edit may add to a head. */
    static long size(Edit edit) {
        return switch (edit) {
            case Edit.SetHeader set -> {
                long size = 0;
                for (String value : set.values()) {
                    size += set.name().length() + value.length() + LINE;
                }
                yield size;
            }
            case Edit.SetHeaderValue set -> set.value().length();
            case Edit.AddHeader add -> add.name().length() + add.value().length() + LINE;
            case Edit.SetPath set -> set.path().length();
            case Edit.SetQuery set -> set.query().length();
            default -> 0;
        };
    }

    /** Applies an edit to the head of a request; returns false when the edit does not concern the head. */
    static boolean apply(Stage stage, Edit edit, RequestMessage head) {
        checkSensitive(stage, edit);
        switch (edit) {
            case Edit.SetMethod set -> {
                require(stage, Part.METHOD);
                check(
                        FieldSyntax.isToken(set.method()) && !set.method().equals("CONNECT"),
                        "method: not one of a request");
                head.method(set.method());
            }
            case Edit.SetPath set -> {
                require(stage, Part.PATH);
                check(
                        set.path().startsWith("/") && FieldSyntax.isTargetText(set.path(), "?#"),
                        "path: not a clean absolute path");
                head.path(set.path(), set.sensitive());
            }
            case Edit.SetQuery set -> {
                require(stage, Part.QUERY);
                check(FieldSyntax.isTargetText(set.query(), "#"), "query: holds characters that a query cannot");
                head.query(set.query(), set.sensitive());
            }
            default -> {
                return fields(stage, Part.REQUEST_HEADERS, edit, head.headers());
            }
        }
        return true;
    }

    /** Applies an edit to the head of a response; returns false when the edit does not concern the head. */
    static boolean apply(Stage stage, Edit edit, ResponseMessage head) {
        checkSensitive(stage, edit);
        if (edit instanceof Edit.SetStatus set) {
            require(stage, Part.STATUS);
            if (head.interim()) {
                check(set.status() == head.status(), "status: an interim response stays as it is");
            } else {
                check(
                        set.status() >= 200 && set.status() <= 599,
                        "status: " + set.status() + " (expected: 200 to 599)");
            }
            check(FieldSyntax.isTargetText(set.reason().replace(' ', '_'), ""), "reason: holds control characters");
            String reason = set.reason();
            head.status(set.status(), reason.isEmpty() ? ReasonPhrases.of(set.status()) : reason);
            return true;
        }
        return fields(stage, Part.RESPONSE_HEADERS, edit, head.headers());
    }

    /** Applies an edit to header or trailer fields; returns false when the edit does not concern fields. */
    static boolean fields(Stage stage, Part part, Edit edit, HeaderBlock fields) {
        switch (edit) {
            case Edit.SetHeader set -> {
                checkLine(stage, part, set.name(), set.values());
                fields.replace(set.name(), set.values());
                mark(fields, set.name(), set.sensitive());
            }
            case Edit.SetHeaderValue set -> {
                checkLine(stage, part, set.name(), List.of(set.value()));
                int at = fields.indexOf(set.name(), 0);
                for (int i = 0; i < set.occurrence() && at >= 0; i++) {
                    at = fields.indexOf(set.name(), at + 1);
                }
                check(at >= 0, "header " + set.name() + ": has no line " + set.occurrence());
                fields.setValue(at, set.value());
                if (set.sensitive()) {
                    fields.markSensitive(at);
                }
            }
            case Edit.AddHeader add -> {
                checkLine(stage, part, add.name(), List.of(add.value()));
                fields.append(add.name(), add.value());
                if (add.sensitive()) {
                    fields.markSensitive(fields.size() - 1);
                }
            }
            case Edit.RemoveHeader remove -> {
                checkLine(stage, part, remove.name(), List.of());
                fields.removeAll(remove.name());
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    /** Whether an edit concerns header fields. */
    static boolean isOfFields(Edit edit) {
        return edit instanceof Edit.SetHeader
                || edit instanceof Edit.SetHeaderValue
                || edit instanceof Edit.AddHeader
                || edit instanceof Edit.RemoveHeader;
    }

    static void require(Stage stage, Part part) {
        check(stage.mayWrite(part), "edit of " + part + " was not declared");
    }

    static void checkSensitive(Stage stage, Edit edit) {
        check(
                !edit.sensitive() || stage.causes(Effect.INJECTS_CREDENTIAL),
                "sensitive edit without the declared effect INJECTS_CREDENTIAL");
    }

    private static void checkLine(Stage stage, Part part, String name, List<String> values) {
        require(stage, part);
        check(FieldSyntax.isToken(name), "header name: not a token");
        check(!ReservedFields.isReserved(name), "header " + name + ": belongs to the engine");
        for (String value : values) {
            check(FieldSyntax.isValue(value), "header " + name + ": value holds a control or wide character");
        }
    }

    private static void mark(HeaderBlock fields, String name, boolean sensitive) {
        if (sensitive) {
            for (int i = fields.indexOf(name, 0); i >= 0; i = fields.indexOf(name, i + 1)) {
                fields.markSensitive(i);
            }
        }
    }

    private static void check(boolean right, String fault) {
        if (!right) {
            throw StageException.broken(fault);
        }
    }
}
