import { testDeep } from './deep.mjs';

testDeep('fx');
testDeep('ONNX text');
