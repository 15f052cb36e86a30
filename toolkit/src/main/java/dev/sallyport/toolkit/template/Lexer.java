package dev.sallyport.toolkit.template;

import java.util.ArrayList;
import java.util.List;

/** Splits a template into tokens. Used once. */
final class Lexer {

    private static final String OPERAND = "a field, a string, a number or a function";

    private final String source;
    private final List<Token> tokens = new ArrayList<>();
    private int at;

    Lexer(String source) {
        this.source = source;
    }

    List<Token> tokens() throws TemplateException {
        boolean trim = false;
        while (true) {
            int open = source.indexOf("{{", at);
            int end = open < 0 ? source.length() : open;
            boolean trimmed = open >= 0 && trimsLeft(open + 2);
            text(at, end, trim, trimmed);
            if (open < 0) {
                add(Token.Type.END, source.length(), "");
                return tokens;
            }
            at = open + (trimmed ? 4 : 2);
            trim = source.startsWith("/*", at) ? comment(open) : action(open);
        }
    }

    private boolean trimsLeft(int offset) {
        return offset + 1 < source.length() && source.charAt(offset) == '-' && isSpace(source.charAt(offset + 1));
    }

    private void text(int from, int to, boolean trimStart, boolean trimEnd) {
        int start = from;
        int end = to;
        while (trimStart && start < end && isSpace(source.charAt(start))) {
            start++;
        }
        while (trimEnd && end > start && isSpace(source.charAt(end - 1))) {
            end--;
        }
        if (end > start) {
            String text = source.substring(start, end);
            tokens.add(new Token(Token.Type.TEXT, start, text, Bytes.of(text)));
        }
    }

    /** Skips a comment; returns true when it ends in a trim marker. */
    private boolean comment(int open) throws TemplateException {
        int end = source.indexOf("*/", at + 2);
        if (end < 0) {
            throw fault(open, "an unclosed comment", "*/}}");
        }
        at = end + 2;
        if (source.startsWith("}}", at)) {
            at += 2;
            return false;
        }
        if (at < source.length() && isSpace(source.charAt(at)) && source.startsWith("-}}", at + 1)) {
            at += 4;
            return true;
        }
        throw fault(at, "a comment that ends before its action", "*/}} or */ -}}");
    }

    /** Reads the tokens of an action; returns true when it ends in a trim marker. */
    private boolean action(int open) throws TemplateException {
        add(Token.Type.OPEN, open, "");
        while (true) {
            int space = at;
            while (at < source.length() && isSpace(source.charAt(at))) {
                at++;
            }
            boolean trim = at > space && source.startsWith("-}}", at);
            if (trim || source.startsWith("}}", at)) {
                add(Token.Type.CLOSE, at, "");
                at += trim ? 3 : 2;
                return trim;
            }
            if (at == source.length()) {
                throw fault(open, "an unclosed action", "}}");
            }
            next();
        }
    }

    private void next() throws TemplateException {
        char c = source.charAt(at);
        switch (c) {
            case '|' -> symbol(Token.Type.PIPE);
            case '(' -> symbol(Token.Type.LEFT);
            case ')' -> {
                symbol(Token.Type.RIGHT);
                requireTerminator();
            }
            case '"' -> quoted();
            case '`' -> raw();
            case '.' -> field();
            case '\'' -> throw fault(at, "a character constant", "a string in double quotes");
            case '$', ':', '=' -> throw fault(at, "a variable, which this subset does not have", OPERAND);
            default -> {
                if (isDigit(c) || c == '-' || c == '+') {
                    number();
                } else if (isNameStart(c)) {
                    int from = at;
                    add(Token.Type.NAME, from, name());
                    requireTerminator();
                } else {
                    throw fault(at, "an unexpected character", OPERAND);
                }
            }
        }
    }

    private void symbol(Token.Type type) {
        add(type, at, "");
        at++;
    }

    private void field() throws TemplateException {
        int from = at;
        StringBuilder path = new StringBuilder();
        while (at < source.length() && source.charAt(at) == '.') {
            at++;
            if (at == source.length() || !isNameStart(source.charAt(at))) {
                throw fault(from, "a dot without a name", "a field such as .Value");
            }
            path.append(path.isEmpty() ? "" : ".").append(name());
        }
        add(Token.Type.FIELD, from, path.toString());
        requireTerminator();
    }

    private String name() {
        int from = at;
        while (at < source.length() && (isNameStart(source.charAt(at)) || Character.isDigit(source.charAt(at)))) {
            at++;
        }
        return source.substring(from, at);
    }

    private void number() throws TemplateException {
        int from = at++;
        while (at < source.length()
                && (Character.isLetterOrDigit(source.charAt(at)) || "_.".indexOf(source.charAt(at)) >= 0)) {
            at++;
        }
        add(Token.Type.NUMBER, from, source.substring(from, at));
        requireTerminator();
    }

    private void raw() throws TemplateException {
        int from = at;
        int end = source.indexOf('`', at + 1);
        if (end < 0) {
            throw fault(from, "an unclosed raw string", "a closing back quote");
        }
        String text = source.substring(from + 1, end).replace("\r", "");
        tokens.add(new Token(Token.Type.STRING, from, text, Bytes.of(text)));
        at = end + 1;
        requireTerminator();
    }

    private void quoted() throws TemplateException {
        int from = at;
        StringLiteral literal = new StringLiteral(source, from);
        tokens.add(new Token(Token.Type.STRING, from, "", Bytes.of(literal.bytes())));
        at = literal.end();
        requireTerminator();
    }

    /** An operand must be followed by a delimiter, so that {@code "a".b} is an error and not two operands. */
    private void requireTerminator() throws TemplateException {
        boolean ends = at == source.length()
                || isSpace(source.charAt(at))
                || source.charAt(at) == '|'
                || source.charAt(at) == ')'
                || source.startsWith("}}", at);
        if (!ends) {
            throw fault(at, "an unexpected character after an operand", "a space, |, ) or }}");
        }
    }

    private void add(Token.Type type, int offset, String text) {
        tokens.add(new Token(type, offset, text, Bytes.NONE));
    }

    private TemplateException fault(int offset, String reason, String expected) {
        return TemplateException.at(source, offset, reason, expected);
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\t' || c == '\r' || c == '\n';
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isNameStart(char c) {
        return c == '_' || Character.isLetter(c);
    }
}
