package dev.sallyport.server.plugin;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** A jar as the author of a plug-in makes one: compiled against what is on the class path of the test. */
public final class PluginJar {

    private final Map<String, String> sources = new LinkedHashMap<>();
    private final Map<String, String> resources = new LinkedHashMap<>();

    /** A transform {@code name} that adds the header {@code X-Plugin: value} to every request. */
    public static PluginJar headerTransform(String name, String value) {
        return new PluginJar()
                .source("plug.Factory", """
                        package plug;
                        import dev.sallyport.spi.*;
                        public final class Factory implements TransformFactory<Factory.Config> {
                            public record Config() {}
                            public Descriptor<Config> descriptor() {
                                return Descriptor.of("%s", Config.class, "Adds a header.");
                            }
                            public Capabilities capabilities(Config config) {
                                return Capabilities.builder().writes(Part.REQUEST_HEADERS).build();
                            }
                            public Transform create(Config config, BuildContext context) {
                                Edits edits = Edits.builder().setHeader("X-Plugin", Value.TEXT).build();
                                return (InlineTransform) request -> Decision.proceed(edits);
                            }
                        }
                        """.formatted(name))
                .source("plug.Value", """
                        package plug;
                        final class Value {
                            static final String TEXT = "%s".toString();
                        }
                        """.formatted(value))
                .transform("plug.Factory");
    }

    /** A transform {@code name} that never comes back with a decision, and does not listen to interrupts. */
    public static PluginJar endlessTransform(String name) {
        return new PluginJar().source("plug.Endless", """
                        package plug;
                        import dev.sallyport.spi.*;
                        public final class Endless implements TransformFactory<Endless.Config> {
                            public record Config() {}
                            public Descriptor<Config> descriptor() {
                                return Descriptor.of("%s", Config.class, "Never decides.");
                            }
                            public Capabilities capabilities(Config config) {
                                return Capabilities.none();
                            }
                            public Transform create(Config config, BuildContext context) {
                                return (InlineTransform) request -> search(request.head().path());
                            }
                            private static Decision search(String path) {
                                while (path != null) {
                                    Thread.onSpinWait();
                                }
                                return Decision.proceed();
                            }
                        }
                        """.formatted(name)).transform("plug.Endless");
    }

    /** A companion with a section of this name, which has one word in it. */
    public static PluginJar companion(String section) {
        return new PluginJar()
                .source("plug.Beside", """
                        package plug;
                        import dev.sallyport.core.*;
                        public final class Beside implements CompanionFactory<Beside.Config> {
                            public record Config(String word) {}
                            public String section() {
                                return "%s";
                            }
                            public Class<Config> configType() {
                                return Config.class;
                            }
                            public String summary() {
                                return "Stands beside.";
                            }
                            public Companion create(Config config, CompanionContext context) {
                                return () -> {};
                            }
                        }
                        """.formatted(section))
                .service("dev.sallyport.core.CompanionFactory", "plug.Beside");
    }

    /** Adds a class. */
    public PluginJar source(String className, String text) {
        sources.put(className, text);
        return this;
    }

    /** Names the factory of a transform. */
    public PluginJar transform(String className) {
        return service("dev.sallyport.spi.TransformFactory", className);
    }

    private PluginJar service(String type, String className) {
        resources.put("META-INF/services/" + type, className + "\n");
        return this;
    }

    /** Compiles and writes it. */
    public Path write(Path jar) throws IOException {
        return write(jar, path -> true);
    }

    /** The same without a class, as if a library had been forgotten. */
    public Path writeWithout(String className, Path jar) throws IOException {
        return write(jar, path -> !path.equals(className.replace('.', '/') + ".class"));
    }

    private Path write(Path jar, Predicate<String> wanted) throws IOException {
        Files.createDirectories(jar.toAbsolutePath().getParent());
        Path classes = Files.createTempDirectory("plugin-classes");
        compile(classes);
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar));
                Stream<Path> files = Files.walk(classes)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String path = classes.relativize(file).toString();
                if (wanted.test(path)) {
                    add(zip, path, Files.readAllBytes(file));
                }
            }
            for (Map.Entry<String, String> resource : resources.entrySet()) {
                add(zip, resource.getKey(), resource.getValue().getBytes(StandardCharsets.UTF_8));
            }
        }
        return jar;
    }

    private static void add(ZipOutputStream zip, String path, byte[] content) throws IOException {
        zip.putNextEntry(new ZipEntry(path));
        zip.write(content);
        zip.closeEntry();
    }

    private void compile(Path classes) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<JavaFileObject> files = sources.entrySet().stream()
                .<JavaFileObject>map(source -> new Source(source.getKey(), source.getValue()))
                .toList();
        List<String> options = List.of(
                "--release",
                "21",
                "-proc:none",
                "-d",
                classes.toString(),
                "-cp",
                System.getProperty("java.class.path"));
        boolean compiled =
                compiler.getTask(null, null, null, options, null, files).call();
        if (!compiled) {
            throw new IllegalStateException("the plug-in of the test does not compile");
        }
    }

    /** A file that is called a jar and is none. */
    public static Path broken(Path jar) throws IOException {
        Files.createDirectories(jar.toAbsolutePath().getParent());
        try (OutputStream out = Files.newOutputStream(jar)) {
            out.write("PK this is no jar".getBytes(StandardCharsets.US_ASCII));
        }
        return jar;
    }

    private static final class Source extends SimpleJavaFileObject {

        private final String text;

        Source(String className, String text) {
            super(URI.create("string:///" + className.replace('.', '/') + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
