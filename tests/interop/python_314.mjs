// A real CPython 3.14, compiled to WebAssembly: runs a program with the package and the wheels it needs.
// Arguments: the module of pyodide, the folder of the package, a folder of wheels, and the program.
import fs from "node:fs";

const [pyodide, source, wheels, program] = process.argv.slice(2);
const { loadPyodide } = await import(pyodide);
const python = await loadPyodide();
python.mountNodeFS("/source", source);
python.mountNodeFS("/wheels", wheels);
await python.runPythonAsync(`
import glob, sys, zipfile
for wheel in glob.glob("/wheels/*.whl"):
    zipfile.ZipFile(wheel).extractall("/site")
sys.path[:0] = ["/source", "/site"]
sys.dont_write_bytecode = True
`);
await python.runPythonAsync(fs.readFileSync(program, "utf8"));
