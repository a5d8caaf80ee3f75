package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;

/**
 * pip, npm and apt fetch a package through {@code config/package-cache.conf} twice, each with a
 * cache of its own that is empty; the server sees one of the two.
 */
class PackageToolsInteropTest extends PackageCacheTest {
  private static final long GUARD_SECONDS = 120;

  /** Of proxies and authorities: they would have precedence over the command line. */
  private static final Pattern OWN_SETTINGS =
      Pattern.compile("(?i)proxy|ca_bundle|ssl_cert|^(pip|npm)_");

  /** Runs {@code words} with the proxy in their environment; the output, after success. */
  private String run(List<String> words) throws Exception {
    Path out = dir.resolve("out");
    ProcessBuilder program = new ProcessBuilder(words).directory(dir.toFile());
    program.redirectErrorStream(true).redirectOutput(out.toFile());
    program.environment().keySet().removeIf(name -> OWN_SETTINGS.matcher(name).find());
    program.environment().put("PIP_CONFIG_FILE", "/dev/null");
    program.environment().put("NPM_CONFIG_USERCONFIG", dir.resolve("npmrc").toString());
    Process running = program.start();
    if (!running.waitFor(GUARD_SECONDS, TimeUnit.SECONDS)) {
      running.destroyForcibly();
    }
    String text = Files.readString(out);
    assertThat(running.waitFor()).as("%s: %s", words, text).isZero();
    return text;
  }

  private String way() {
    return "http://127.0.0.1:" + proxy.port();
  }

  private void serve(ScriptedOrigin server, String path, byte[] content, String... fieldLines) {
    server.on(
        path,
        call -> {
          call.send("HTTP/1.1 200 OK\r\nContent-Length: " + content.length + "\r\n");
          for (String line : fieldLines) {
            call.send(line + "\r\n");
          }
          call.send("\r\n");
          call.send(content);
        });
  }

  // ---- pip

  private static byte[] wheel() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
      String info = "demo-1.0.dist-info/";
      String[][] entries = {
        {"demo.py", "x = 1\n"},
        {info + "METADATA", "Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n"},
        {info + "WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"},
        {info + "RECORD", "demo.py,,\n"}
      };
      for (String[] entry : entries) {
        zip.putNextEntry(new ZipEntry(entry[0]));
        zip.write(entry[1].getBytes(UTF_8));
      }
    }
    return bytes.toByteArray();
  }

  @Test
  void pip() throws Exception {
    String pip = InstalledProgram.path("pip", "pip3");
    String path = "/packages/demo-1.0-py3-none-any.whl";
    byte[] wheel = wheel();
    serve(files, path, wheel, "Content-Type: application/zip");
    String index = "<!DOCTYPE html><html><body><a href=\"" + path + "\">demo</a></body></html>";
    serve(files, "/simple/demo/", index.getBytes(UTF_8), "Content-Type: text/html");
    for (int i = 0; i < 2; i++) {
      Path to = dir.resolve("pip" + i);
      run(
          List.of(
              pip,
              "download",
              "--no-cache-dir",
              "--disable-pip-version-check",
              "--no-deps",
              "--proxy",
              way(),
              "--cert",
              authority.toString(),
              "--index-url",
              "https://files.test:" + files.port() + "/simple/",
              "-d",
              to.toString(),
              "demo"));
      assertThat(to.resolve("demo-1.0-py3-none-any.whl")).hasBinaryContent(wheel);
    }
    assertThat(files.fetches(path)).isEqualTo(1);
  }

  // ---- npm

  @Test
  void npm() throws Exception {
    String npm = InstalledProgram.path("npm");
    String tar = InstalledProgram.path("tar");
    Files.createDirectory(dir.resolve("package"));
    Files.writeString(
        dir.resolve("package/package.json"), "{\"name\":\"demo\",\"version\":\"1.0.0\"}\n");
    run(List.of(tar, "czf", "demo.tgz", "package"));
    byte[] archive = Files.readAllBytes(dir.resolve("demo.tgz"));
    String path = "/demo/-/demo-1.0.0.tgz";
    String digest =
        Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-512").digest(archive));
    String described =
        "{\"name\":\"demo\",\"version\":\"1.0.0\",\"dist\":{\"integrity\":\"sha512-"
            + digest
            + "\",\"tarball\":\"https://files.test:"
            + files.port()
            + path
            + "\"}}";
    String all =
        "{\"name\":\"demo\",\"dist-tags\":{\"latest\":\"1.0.0\"},\"versions\":{\"1.0.0\":"
            + described
            + "}}";
    serve(files, path, archive, "Content-Type: application/octet-stream");
    serve(files, "/demo", all.getBytes(UTF_8), "Content-Type: application/json");
    for (int i = 0; i < 2; i++) {
      Path to = Files.createDirectory(dir.resolve("npm" + i));
      run(
          List.of(
              npm,
              "pack",
              "demo",
              "--pack-destination",
              to.toString(),
              "--cache",
              dir.resolve("npm-cache" + i).toString(),
              "--registry",
              "https://files.test:" + files.port() + "/",
              "--https-proxy",
              way(),
              "--cafile",
              authority.toString(),
              "--no-update-notifier"));
      assertThat(to.resolve("demo-1.0.0.tgz")).exists();
    }
    assertThat(files.fetches(path)).isEqualTo(1);
  }

  // ---- apt

  @Test
  void apt() throws Exception {
    String apt = InstalledProgram.path("apt-get");
    String dpkg = InstalledProgram.path("dpkg-deb");
    Path control = Files.createDirectories(dir.resolve("deb/DEBIAN")).resolve("control");
    String fields =
        "Package: demo\nVersion: 1.0\nArchitecture: all\nMaintainer: t <t@files.test>\n"
            + "Description: demo\n";
    Files.writeString(control, fields);
    run(List.of(dpkg, "--build", "deb", "demo_1.0_all.deb"));
    byte[] deb = Files.readAllBytes(dir.resolve("demo_1.0_all.deb"));
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(deb);
    StringBuilder hex = new StringBuilder();
    for (byte one : digest) {
      hex.append(String.format("%02x", one));
    }
    String index =
        fields + "Filename: ./demo_1.0_all.deb\nSize: " + deb.length + "\nSHA256: " + hex + "\n\n";
    origin.otherwise(call -> call.send(ScriptedOrigin.response("404 Not Found", "none")));
    serve(origin, "/debian/./Packages", index.getBytes(UTF_8));
    serve(origin, "/debian/./demo_1.0_all.deb", deb);
    for (int i = 0; i < 2; i++) {
      Path root = dir.resolve("apt" + i);
      for (String folder : List.of("lists/partial", "cache/archives/partial", "etc")) {
        Files.createDirectories(root.resolve(folder));
      }
      Files.writeString(root.resolve("status"), "");
      Files.writeString(
          root.resolve("etc/sources.list"),
          "deb [trusted=yes] " + origin.url("files.test", "/debian/") + " ./\n");
      List<String> options =
          List.of(
              apt,
              "-q",
              "-o",
              "Dir::Etc=" + root.resolve("etc"),
              "-o",
              "Dir::State=" + root,
              "-o",
              "Dir::State::status=" + root.resolve("status"),
              "-o",
              "Dir::Cache=" + root.resolve("cache"),
              "-o",
              "APT::Sandbox::User=",
              "-o",
              "Acquire::http::Proxy=" + way());
      run(plus(options, "update"));
      run(plus(options, "download", "demo"));
      assertThat(dir.resolve("demo_1.0_all.deb")).hasBinaryContent(deb);
      Files.delete(dir.resolve("demo_1.0_all.deb"));
    }
    assertThat(origin.fetches("/debian/./demo_1.0_all.deb")).isEqualTo(1);
  }

  private static List<String> plus(List<String> words, String... more) {
    List<String> all = new ArrayList<>(words);
    all.addAll(List.of(more));
    return all;
  }
}
