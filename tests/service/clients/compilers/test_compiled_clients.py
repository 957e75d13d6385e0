"""Clients in TypeScript and Kotlin, generated from the OpenAPI documents, compile and can be used.

Generators drop or number what they do not understand: then the programs here do not compile.
`make test-clients` installs the generators and compilers, and names what else is needed.
"""

import shutil
import subprocess
from pathlib import Path

import pytest

from tools.openapi import FILES, ROOT

HERE = Path(__file__).resolve().parent
MODULES = HERE / "node_modules"
MAVEN = Path.home() / ".m2/repository"
# What a generated Kotlin client is compiled against.
JARS = {
    "com.squareup.okhttp3:okhttp:4.12.0": "com/squareup/okhttp3/okhttp/4.12.0/okhttp-4.12.0.jar",
    "com.squareup.okio:okio-jvm:3.6.0": "com/squareup/okio/okio-jvm/3.6.0/okio-jvm-3.6.0.jar",
    "com.google.code.gson:gson:2.11.0": "com/google/code/gson/gson/2.11.0/gson-2.11.0.jar",
}
KOTLIN_OPTIONS = {
    "packageName": "waitlist",
    "serializationLibrary": "gson",
    "omitGradleWrapper": "true",
    # Without it the choices of a body are merged into one class that requires all of them.
    "generateOneOfAnyOfWrappers": "true",
}

pytestmark = pytest.mark.timeout(900)  # the Kotlin compiler takes a minute, or five beside others


def run(*command: str | Path, cwd: Path) -> None:
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command[0]} failed:\n{done.stdout}{done.stderr}"


def generator() -> Path:
    jars = list((ROOT / ".venv-clients").glob("lib/*/site-packages/openapi_generator_cli/*.jar"))
    assert jars, "openapi-generator is missing: run `make test-clients`, which installs it"
    return jars[0]


def kotlin_libraries() -> list[Path]:
    missing = [name for name, path in JARS.items() if not (MAVEN / path).exists()]
    commands = "\n".join(f"mvn dependency:get -Dartifact={name}" for name in missing)
    assert not missing, f"a library of the Kotlin client is missing; get it once with:\n{commands}"
    return [MAVEN / path for path in JARS.values()]


@pytest.mark.parametrize("document", FILES)
def test_types_for_typescript_compile(document: str, tmp_path: Path) -> None:
    # Inside of the folder that has `node_modules`: that is where programs look for libraries.
    folder = HERE / "node_modules" / ".generated" / tmp_path.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    run(MODULES / ".bin/openapi-typescript", ROOT / document, "-o", folder / "api.d.ts", cwd=HERE)
    (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    program = [] if "jwt" in document else ["use.ts"]
    for name in program:
        shutil.copy(HERE / name, folder)
    options = ("--strict", "--noEmit", "--target", "es2022", "--module", "esnext")
    resolution = ("--moduleResolution", "bundler")
    run(MODULES / ".bin/tsc", *options, *resolution, "api.d.ts", *program, cwd=folder)


def test_a_client_for_kotlin_compiles(tmp_path: Path) -> None:
    libraries = ":".join(map(str, kotlin_libraries()))
    options = ",".join(f"{name}={value}" for name, value in KOTLIN_OPTIONS.items())
    run(
        *("java", "-jar", generator(), "generate"),
        *("-i", ROOT / "docs/openapi/guests.json", "-g", "kotlin", "--library", "jvm-okhttp4"),
        *("-o", tmp_path, f"--additional-properties={options}"),
        cwd=tmp_path,
    )
    run(
        *("bash", MODULES / "kotlin-compiler/bin/kotlinc", "-nowarn", "-cp", libraries),
        *("-d", tmp_path / "client.jar", tmp_path / "src/main/kotlin", HERE / "Use.kt"),
        cwd=tmp_path,
    )
    assert (tmp_path / "client.jar").exists()
