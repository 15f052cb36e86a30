package dev.sallyport.toolkit.template;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Parses the statements of a template and checks all that can be checked. Used once. */
final class Parser {

    private static final int MAX_DEPTH = 64;
    private static final Set<String> KEYWORDS =
            Set.of("if", "else", "end", "range", "with", "define", "template", "block", "break", "continue");

    private final String source;
    private final List<Token> tokens;
    private final Calls calls;
    private int at;
    private int depth;

    Parser(String source, TemplateSchema schema, Set<Integer> used) throws TemplateException {
        this.source = source;
        this.tokens = new Lexer(source).tokens();
        this.calls = new Calls(source, schema, used);
    }

    List<Statement> parse() throws TemplateException {
        List<Statement> statements = statements();
        if (peek().type() != Token.Type.END) {
            Token keyword = tokens.get(at + 1);
            throw fault(keyword, "{{" + keyword.text() + "}} without {{if}}", "{{if}} before it");
        }
        return statements;
    }

    /** Reads up to the end, or up to an {@code else} or {@code end}, whose opening it leaves unread. */
    private List<Statement> statements() throws TemplateException {
        List<Statement> statements = new ArrayList<>();
        while (true) {
            Token token = peek();
            if (token.type() == Token.Type.TEXT) {
                statements.add(new Statement.Text(token.bytes()));
                at++;
                continue;
            }
            if (token.type() == Token.Type.END || isKeyword(at + 1, "else") || isKeyword(at + 1, "end")) {
                return List.copyOf(statements);
            }
            at++;
            if (isKeyword(at, "if")) {
                at++;
                statements.add(conditional(token));
            } else {
                Expression value = pipeline(Token.Type.CLOSE);
                calls.requireValue(value, token.offset());
                statements.add(new Statement.Print(value));
            }
        }
    }

    /** Reads from the condition to {@code end}. */
    private Statement conditional(Token open) throws TemplateException {
        enter(open);
        Expression condition = pipeline(Token.Type.CLOSE);
        calls.requireValue(condition, open.offset());
        List<Statement> then = statements();
        List<Statement> otherwise = List.of();
        if (peek().type() == Token.Type.END) {
            throw fault(open, "{{if}} without {{end}}", "{{end}} after it");
        }
        if (isKeyword(at + 1, "else")) {
            at += 2;
            if (isKeyword(at, "if")) {
                at++;
                otherwise = List.of(conditional(open));
                depth--;
                return new Statement.If(condition, then, otherwise);
            }
            expect(Token.Type.CLOSE);
            otherwise = statements();
            if (peek().type() == Token.Type.END) {
                throw fault(open, "{{if}} without {{end}}", "{{end}} after it");
            }
        }
        at++;
        if (!isKeyword(at, "end")) {
            throw fault(tokens.get(at), "a second {{else}}", "{{end}}");
        }
        at++;
        expect(Token.Type.CLOSE);
        depth--;
        return new Statement.If(condition, then, otherwise);
    }

    /** Reads commands up to and including the closing token; each passes its value to the next. */
    private Expression pipeline(Token.Type close) throws TemplateException {
        Token first = peek();
        enter(first);
        Expression value = command(List.of());
        while (peek().type() == Token.Type.PIPE) {
            at++;
            Token next = peek();
            if (next.type() != Token.Type.NAME || isConstant(next.text())) {
                throw fault(next, "a value in a pipeline where a function is required", "a function after |");
            }
            value = command(List.of(value));
        }
        expect(close);
        depth--;
        return value;
    }

    private Expression command(List<Expression> last) throws TemplateException {
        Token first = peek();
        if (first.type() == Token.Type.NAME && !isConstant(first.text()) && !KEYWORDS.contains(first.text())) {
            at++;
            List<Expression> arguments = new ArrayList<>();
            while (isOperand(peek())) {
                arguments.add(operand());
            }
            arguments.addAll(last);
            return calls.call(first, arguments);
        }
        Expression value = operand();
        if (isOperand(peek())) {
            throw fault(peek(), "an argument for something that is not a function", "| or the end of the pipeline");
        }
        return value;
    }

    private static boolean isOperand(Token token) {
        return switch (token.type()) {
            case FIELD, NAME, STRING, NUMBER, LEFT -> true;
            default -> false;
        };
    }

    private Expression operand() throws TemplateException {
        Token token = peek();
        if (!isOperand(token)) {
            throw fault(
                    token,
                    token.type().words() + " where a value is required",
                    "a field, a string, a number or a function");
        }
        at++;
        return switch (token.type()) {
            case FIELD -> calls.field(token);
            case STRING -> new Expression.Constant(Kind.TEXT, token.bytes().array());
            case NUMBER -> new Expression.Constant(Kind.NUMBER, number(token));
            case LEFT -> pipeline(Token.Type.RIGHT);
            default -> name(token);
        };
    }

    private Expression name(Token token) throws TemplateException {
        if (KEYWORDS.contains(token.text())) {
            throw fault(token, "{{" + token.text() + "}} is not possible here", "if, else, end, or a value");
        }
        if (isConstant(token.text())) {
            return new Expression.Constant(Kind.TRUTH, token.text().equals("true"));
        }
        return calls.call(token, List.of());
    }

    private static boolean isConstant(String name) {
        return name.equals("true") || name.equals("false");
    }

    private long number(Token token) throws TemplateException {
        String text = token.text();
        int sign = text.startsWith("-") || text.startsWith("+") ? 1 : 0;
        boolean hex = text.startsWith("0x", sign) || text.startsWith("0X", sign);
        String digits = text.substring(hex ? sign + 2 : sign);
        boolean octal = !hex && digits.length() > 1 && digits.startsWith("0");
        try {
            if (octal || digits.isEmpty() || Character.digit(digits.charAt(0), 16) < 0) {
                throw new NumberFormatException();
            }
            return Long.parseLong((text.startsWith("-") ? "-" : "") + digits, hex ? 16 : 10);
        } catch (NumberFormatException e) {
            throw fault(token, "not a whole number of 64 bits", "a number such as 42, -1 or 0x2a");
        }
    }

    private boolean isKeyword(int index, String keyword) {
        return index < tokens.size()
                && tokens.get(index).type() == Token.Type.NAME
                && tokens.get(index).text().equals(keyword);
    }

    private void enter(Token token) throws TemplateException {
        if (++depth > MAX_DEPTH) {
            throw fault(token, "a template that is nested too deeply", "at most " + MAX_DEPTH + " levels");
        }
    }

    private Token peek() {
        return tokens.get(at);
    }

    private void expect(Token.Type type) throws TemplateException {
        Token token = peek();
        if (token.type() != type) {
            String expected = type == Token.Type.RIGHT ? "a closing )" : "}}";
            throw fault(token, token.type().words() + " is not possible here", expected);
        }
        at++;
    }

    private TemplateException fault(Token token, String reason, String expected) {
        return TemplateException.at(source, token.offset(), reason, expected);
    }
}
