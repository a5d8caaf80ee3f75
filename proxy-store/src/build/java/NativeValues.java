import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.ToolProvider;

/**
 * Compiles at build time what Chronicle Map otherwise compiles when a process makes its first map.
 * Chronicle Values looks for a class of this name before it generates one.
 *
 * <p>Arguments: where sources go, where classes go. The class path is that of the product.
 */
final class NativeValues {
  private static final List<String> VALUES =
      List.of("net.openhft.chronicle.hash.VanillaGlobalMutableState");

  private NativeValues() {}

  public static void main(String[] arguments) throws Exception {
    for (String value : VALUES) {
      compile(Class.forName(value), Path.of(arguments[0]), Path.of(arguments[1]));
    }
  }

  private static void compile(Class<?> value, Path sources, Path classes) throws Exception {
    String name = value.getSimpleName() + "$$Native";
    Path source = sources.resolve(value.getPackageName().replace('.', '/')).resolve(name + ".java");
    Files.createDirectories(source.getParent());
    Files.writeString(source, source(value, name));
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "--release",
                "17",
                "-nowarn",
                "-proc:none",
                "-classpath",
                System.getProperty("java.class.path"),
                "-d",
                classes.toString(),
                source.toString());
    if (status != 0) {
      throw new IOException(source + ": javac ended with status " + status);
    }
  }

  /** The generator is not public. */
  private static String source(Class<?> value, String name) throws Exception {
    Class<?> modelClass = Class.forName("net.openhft.chronicle.values.ValueModel");
    Object model = accessible(modelClass, "acquire", Class.class).invoke(null, value);
    return (String)
        accessible(
                Class.forName("net.openhft.chronicle.values.Generators"),
                "generateNativeClass",
                modelClass,
                String.class)
            .invoke(null, model, name);
  }

  private static Method accessible(Class<?> owner, String name, Class<?>... parameters)
      throws NoSuchMethodException {
    Method method = owner.getDeclaredMethod(name, parameters);
    method.setAccessible(true);
    return method;
  }
}
