package dev.sallyport.server.quickstart;

/** Colours for a terminal, or none. */
record Palette(boolean on) {

    /** Colours when standard output is a terminal (the launcher knows) and nobody has said no (https://no-color.org). */
    static Palette ofThisTerminal() {
        String refused = System.getenv("NO_COLOR");
        return new Palette(Boolean.getBoolean("sallyport.tty")
                && (refused == null || refused.isEmpty())
                && !"dumb".equals(System.getenv("TERM")));
    }

    String bold(String text) {
        return paint(1, text);
    }

    String dim(String text) {
        return paint(2, text);
    }

    String red(String text) {
        return paint(31, text);
    }

    String green(String text) {
        return paint(32, text);
    }

    String yellow(String text) {
        return paint(33, text);
    }

    String cyan(String text) {
        return paint(36, text);
    }

    private String paint(int code, String text) {
        return on && !text.isEmpty() ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
    }
}
