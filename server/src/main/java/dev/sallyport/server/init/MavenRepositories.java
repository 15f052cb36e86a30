package dev.sallyport.server.init;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.jspecify.annotations.Nullable;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * Maven reads from the repositories and mirrors of its settings, and from that of the super POM, which lies in one of its
 * jars, unless a mirror stands for it.
 */
final class MavenRepositories {

    private static final Pattern HOME =
            Pattern.compile("^(?:\u001b\\[[0-9;]*m)*Maven home: (.+?)\\s*$", Pattern.MULTILINE);
    private static final String SUPER_POM = "org/apache/maven/model/pom-4.0.0.xml";
    private static final Pattern HOLDERS = Pattern.compile("maven-(?:model-builder|impl)-.*\\.jar");
    private static final Set<String> ALL = Set.of("*", "external:*", "central");

    private MavenRepositories() {}

    static Answer ask(Tools tools) throws IOException, InterruptedException {
        if (!tools.has("mvn")) {
            return Answer.missing("maven");
        }
        String said = tools.ask("mvn", "-B", "-v");
        Matcher home = HOME.matcher(said == null ? "" : said);
        Path folder = home.find() ? Path.of(home.group(1)) : null;
        List<Registry> registries = new ArrayList<>();
        boolean mirrored = settings(tools.home(".m2/settings.xml"), registries);
        if (folder != null) {
            mirrored |= settings(folder.resolve("conf/settings.xml"), registries);
        }
        String source = "its settings";
        if (!mirrored && folder != null) {
            int before = registries.size();
            superPom(folder.resolve("lib"), registries);
            source = before == 0 ? "its super POM" : registries.size() > before ? source + " and super POM" : source;
        }
        return registries.isEmpty()
                ? Answer.silent("maven", "does not say its repository (settings, super POM)")
                : Answer.of("maven", source, registries, "repositories that a pom.xml names are not let through");
    }

    /** Collects the addresses of a settings file; whether one stands for those of the super POM. */
    private static boolean settings(Path file, List<Registry> registries) throws IOException {
        if (!Files.isReadable(file)) {
            return false;
        }
        Document settings = parse(Files.readAllBytes(file));
        boolean mirrored = false;
        if (settings != null) {
            for (Element mirror : elements(settings, "mirror")) {
                if (text(mirror, "blocked").equals("true")) {
                    continue; // Maven's own way to refuse plain HTTP
                }
                add(mirror, registries);
                mirrored |= Stream.of(text(mirror, "mirrorOf").split(",", -1))
                        .map(String::strip)
                        .anyMatch(ALL::contains);
            }
            elements(settings, "repository").forEach(repository -> add(repository, registries));
            elements(settings, "pluginRepository").forEach(repository -> add(repository, registries));
        }
        return mirrored;
    }

    private static void superPom(Path lib, List<Registry> registries) throws IOException {
        if (!Files.isDirectory(lib)) {
            return;
        }
        List<Path> jars;
        try (Stream<Path> files = Files.list(lib)) {
            jars = files.filter(file ->
                            HOLDERS.matcher(file.getFileName().toString()).matches())
                    .sorted()
                    .toList();
        }
        for (Path jar : jars) {
            try (ZipFile zip = new ZipFile(jar.toFile())) {
                ZipEntry entry = zip.getEntry(SUPER_POM);
                if (entry != null) {
                    try (InputStream in = zip.getInputStream(entry)) {
                        Document pom = parse(in.readAllBytes());
                        if (pom != null) {
                            elements(pom, "repository").forEach(repository -> add(repository, registries));
                        }
                    }
                }
            }
        }
    }

    private static void add(Element element, List<Registry> registries) {
        RegistryCommands.add(registries, text(element, "url"));
    }

    private static String text(Element element, String child) {
        NodeList found = element.getElementsByTagName(child);
        return found.getLength() == 0 ? "" : found.item(0).getTextContent().strip();
    }

    private static List<Element> elements(Document document, String name) {
        NodeList found = document.getElementsByTagName(name);
        List<Element> elements = new ArrayList<>();
        for (int i = 0; i < found.getLength(); i++) {
            elements.add((Element) found.item(i));
        }
        return elements;
    }

    /** Null for what is no XML: Maven itself will say so. */
    private static @Nullable Document parse(byte[] xml) throws IOException {
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            return factory.newDocumentBuilder().parse(new ByteArrayInputStream(xml));
        } catch (SAXException e) {
            return null;
        } catch (ParserConfigurationException e) {
            throw new IllegalStateException("an XML parser without secure processing", e);
        }
    }
}
